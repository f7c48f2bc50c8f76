"""The tables of the workspace."""

from workspace.models.forecast import Forecast
from workspace.models.uploading import ImportJob, Upload

__all__ = ["Forecast", "ImportJob", "Upload"]
