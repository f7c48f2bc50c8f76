"""A release that is out, beside what is worked on: its tree, its libraries, its processes."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.config import compose
from tests.config.compose import ROOT, Container, Service

MISSING = "The tag {} is not here: `git fetch --tags` brings it."


class Release:
    """What a tag names, as the services of its own docker-compose.yml.

    folder: takes the tree. given: what stands in .env. variables: what differs from that file, such
    as where the servers are.
    """

    def __init__(
        self, tag: str, folder: Path, given: Mapping[str, str], variables: Mapping[str, str]
    ) -> None:
        self.tag, self.folder, self.tree = tag, folder, folder / "image"
        self.variables = dict(variables)
        self.tree.mkdir(parents=True)
        found = subprocess.run(
            ["git", "rev-parse", "--quiet", "--verify", f"{tag}^{{commit}}"], cwd=ROOT, check=False
        )
        assert not found.returncode, MISSING.format(tag)
        archive = subprocess.run(["git", "archive", tag], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", self.tree], input=archive.stdout, check=True)
        self.programs = folder / "libraries/bin"
        self._install()
        told = yaml.safe_load((self.tree / "docker-compose.yml").read_text())
        self.services = compose.resolve(told, given)["services"]

    def _install(self) -> None:
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", self.programs.parent], check=True)
        python = ["--python", self.programs / "python"]
        listed = ["-r", self.tree / "requirements.txt"]
        subprocess.run([*uv, "pip", "install", "--quiet", *python, *listed], check=True)

    def part(self, name: str, number: int = 1, **variables: str) -> Container:
        """A container of a service, not started yet."""
        told = self.services[name]
        command = told.get("command", ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"])
        service = Service(name, told["environment"], command, [])
        host = f"{self.tag}-{name}-{number}"
        part = Container(service, host, self.folder, **self.variables, **variables)
        part.environment["PATH"] = f"{self.programs}:{part.environment['PATH']}"
        return part
