from django.urls import path

from workspace.planning import plan_page

urlpatterns = [
    path("studies/<slug:slug>/plan/", plan_page.plan, name="plan"),
    path(
        "studies/<slug:slug>/plan/<slug:part>.<slug:file_format>",
        plan_page.download,
        name="plan-part",
    ),
]
