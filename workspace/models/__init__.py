"""The tables of the workspace."""

from workspace.models.alerting import Alert, AlertMessage, AlertSettings
from workspace.models.forecast import Forecast
from workspace.models.publishing import PublishedPage
from workspace.models.recruiting import (
    ProlificBonus,
    ProlificBonusPart,
    ProlificConnection,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
)
from workspace.models.uploading import ImportJob, Upload

__all__ = [
    "Alert",
    "AlertMessage",
    "AlertSettings",
    "Forecast",
    "ImportJob",
    "ProlificBonus",
    "ProlificBonusPart",
    "ProlificConnection",
    "ProlificEvent",
    "ProlificStudy",
    "ProlificSubmission",
    "PublishedPage",
    "Upload",
]
