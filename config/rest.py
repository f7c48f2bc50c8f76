from typing import Any

TAGS = {
    "Collections": "Files are uploaded, then imported: topics, documents, labels, runs.",
    "Making a study": "From a draft to a study that is open.",
    "Planning": "What a study will cost and tell, and rehearsals of it.",
    "Recruiting": "Who may take part, by which link, and Prolific.",
    "Running a study": "What is decided while people judge, and what shows how it goes.",
    "Payments": "What people are owed, and what has been paid.",
    "Results": "Rankings, gains, analyses, the report, and every table as a file.",
    "Team": "Who works on a study, and invitations.",
}
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
    "TAGS": [{"name": name, "description": text} for name, text in TAGS.items()],
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
