"""The settings of Django REST framework and drf-spectacular."""

from typing import Any

FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.tokens.WithinScope"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.rate.TokenThrottle"],
    "DEFAULT_PARSER_CLASSES": ["web.bodies.StorableJson"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "web.problems.as_problem",
    "UNAUTHENTICATED_USER": None,
}
DESCRIPTION: dict[str, Any] = {
    "TITLE": "Magnitudes",
    "DESCRIPTION": "Relevance judgments by magnitude estimation, and the ranking of systems.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {"WorkStateEnum": "judging.models.plan_job.PlanJob.State"},
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PREPROCESSING_HOOKS": ["web.openapi.add_head_operations"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "web.openapi.add_tags",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # A list of collapsed operations, without requests to other hosts.
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "docExpansion": "none",
        "defaultModelsExpandDepth": -1,
        "validatorUrl": None,
    },
}
