"""What judgments are turned into: gains, measures and rankings of systems."""

import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPUTING = "evaluation", "magnitudes"
# What is asked for and how it is shown; no number is computed there.
DOORS = {
    "admin.py",
    "api",
    "client",
    "management",
    "migrations",
    "pages",
    "templatetags",
    "urls.py",
}


def code_version(root: Path = ROOT) -> str:
    """The product's version and a digest of the code that numbers are computed by, and of what the
    papers print, beside which they are set.

    Two releases that compute by the same code differ in the first part alone. While two run beside
    each other, each computes anew what it finds of another version.
    """
    product = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    digest = sha256()
    for package in COMPUTING:
        folder = root / package
        for path in sorted((*folder.rglob("*.py"), *folder.rglob("*.toml"))):
            name = path.relative_to(root)
            if DOORS.isdisjoint(name.parts):
                digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return f"{product}+{digest.hexdigest()[:12]}"


VERSION = code_version()
