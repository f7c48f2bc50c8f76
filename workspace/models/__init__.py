"""The tables of the workspace."""

from workspace.models.uploading import ImportJob, Upload

__all__ = ["ImportJob", "Upload"]
