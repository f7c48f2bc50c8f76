"""The pages of researchers."""

from django.urls import path

from evaluation import views

urlpatterns = [
    path("", views.home, name="home"),
    path("health/", views.health, name="health"),
    path("studies/", views.studies, name="studies"),
    path("studies/<slug:slug>/", views.study, name="results"),
    path("studies/<slug:slug>/ranking-<int:number>.svg", views.plot, name="plot"),
    path("studies/<slug:slug>/<slug:table>.<slug:file_format>", views.download, name="download"),
]
