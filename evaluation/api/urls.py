"""Addresses of the API's part on results, below /api/v1/."""

from django.urls import path

from evaluation.api import analyses, files, report, verdicts, views

urlpatterns = [
    path("studies/<slug:slug>/progress/", views.Progress.as_view()),
    path("studies/<slug:slug>/judgments/", views.Judgments.as_view()),
    path("studies/<slug:slug>/qrels/", views.Qrels.as_view()),
    path("studies/<slug:slug>/crowdkit/", views.CrowdKit.as_view()),
    path("studies/<slug:slug>/rankings/", views.Rankings.as_view()),
    path("studies/<slug:slug>/verdicts/", verdicts.Verdicts.as_view()),
    path("studies/<slug:slug>/files/", files.Files.as_view()),
    path(
        "studies/<slug:slug>/files/<slug:table>.<slug:file_format>",
        files.file,
        name="api-file",
    ),
    path("studies/<slug:slug>/report/", report.Report.as_view()),
    path("studies/<slug:slug>/report.zip", report.ReportFile.as_view()),
    path("studies/<slug:slug>/analyses/", analyses.Analyses.as_view()),
    path(
        "studies/<slug:slug>/analyses/<slug:name>/",
        analyses.Analysis.as_view(),
        name="api-analysis",
    ),
    path("studies/<slug:slug>/analyses/<slug:name>/<slug:part>/", analyses.Part.as_view()),
]
