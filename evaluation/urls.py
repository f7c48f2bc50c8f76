"""The pages of researchers."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from evaluation.analyses import SECTIONS
from evaluation.pages import (
    against,
    differences,
    front,
    listing,
    method,
    one_list,
    overview,
    rankings,
    replication,
    report,
    systems,
    topics,
)


class SectionConverter(StringConverter):
    """The name of a section of analyses, which once was a page."""

    regex = "|".join(name for name in SECTIONS if name != "systems")


register_converter(SectionConverter, "section")

urlpatterns = [
    path("", front.home, name="home"),
    path("studies/", listing.studies, name="studies"),
    path("studies/<slug:slug>/", overview.study, name="results"),
    path("studies/<slug:slug>/method/", method.index, name="method"),
    path("studies/<slug:slug>/method/<slug:analysis>/", method.alone, name="analysis"),
    path("studies/<slug:slug>/replication/", replication.replication, name="replication"),
    path("studies/<slug:slug>/replication.csv", replication.download, name="replication-file"),
    path("studies/<slug:slug>/share/files/", overview.study_files, name="files"),
    path("studies/<slug:slug>/share/report/", report.page, name="report"),
    path("studies/<slug:slug>/report.zip", report.download, name="report-zip"),
    path("studies/<slug:slug>/systems/", systems.systems, name="systems"),
    path("studies/<slug:slug>/systems/<id:run>/", systems.system, name="system"),
    path(
        "studies/<slug:slug>/systems/<id:run>/against/<id:other>/",
        against.against,
        name="against",
    ),
    path(
        "studies/<slug:slug>/systems/<id:run>/topics/<id:query_id>/",
        one_list.system_on_topic,
        name="system-on-topic",
    ),
    path("studies/<slug:slug>/topics/", topics.topics, name="topics"),
    path("studies/<slug:slug>/topics/<id:query_id>/", topics.topic, name="topic"),
    path(
        "studies/<slug:slug>/topics/<id:query_id>/documents/<id:doc_id>/",
        topics.document,
        name="judged-document",
    ),
    path("studies/<slug:slug>/<section:section>/", method.moved, name="section"),
    path(
        "studies/<slug:slug>/differences/<id:query_id>/<id:doc_id>/",
        differences.difference,
        name="difference",
    ),
    path(
        "studies/<slug:slug>/analyses/<slug:name>/<slug:part>.<slug:file_format>",
        method.download,
        name="analysis-part",
    ),
    path("studies/<slug:slug>/ranking.<slug:file_format>", rankings.plot, name="plot"),
    path("studies/<slug:slug>/<slug:table>.<slug:file_format>", overview.download, name="download"),
]
