"""Addresses of the API's part on the workspace, below /api/v1/."""

from django.urls import path

from workspace.api import uploads

urlpatterns = [
    path("uploads/", uploads.Uploads.as_view(), name="api-uploads"),
    path("uploads/<uuid:key>/", uploads.OneUpload.as_view(), name="api-upload"),
]
