import tomllib

from django.conf import settings

VERSION: str = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["version"]
