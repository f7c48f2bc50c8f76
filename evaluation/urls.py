"""The pages of researchers."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from evaluation.analyses import SECTIONS
from evaluation.views import differences, listing, method, overview, rankings, sections, systems


class SectionConverter(StringConverter):
    """The name of a section of results."""

    regex = "|".join(SECTIONS)


register_converter(SectionConverter, "section")

urlpatterns = [
    path("studies/", listing.studies, name="studies"),
    path("studies/<slug:slug>/", overview.study, name="results"),
    path("studies/<slug:slug>/method/", method.index, name="method"),
    path("studies/<slug:slug>/method/<slug:analysis>/", method.alone, name="analysis"),
    path("studies/<slug:slug>/ranking/", systems.systems, name="systems"),
    path("studies/<slug:slug>/systems/<id:run>/", systems.system, name="system"),
    path("studies/<slug:slug>/<section:section>/", sections.section, name="section"),
    path(
        "studies/<slug:slug>/differences/<id:query_id>/<id:doc_id>/",
        differences.difference,
        name="difference",
    ),
    path(
        "studies/<slug:slug>/analyses/<slug:name>/<slug:part>.<slug:file_format>",
        sections.download,
        name="analysis-part",
    ),
    path("studies/<slug:slug>/ranking.<slug:file_format>", rankings.plot, name="plot"),
    path("studies/<slug:slug>/<slug:table>.<slug:file_format>", overview.download, name="download"),
]
