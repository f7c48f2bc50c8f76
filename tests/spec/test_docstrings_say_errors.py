"""Functions of mathematics that may raise an error say so in their docstrings."""

import ast
from pathlib import Path

import pytest
from django.conf import settings

WINGS = ("scaling", "agreement", "spread", "reading_time", "gains", "measures", "comparison")
Key = tuple[str, str]  # module and name


class Wings:
    """The functions and classes of all wings, and what each module imports from others."""

    def __init__(self) -> None:
        self.nodes: dict[Key, ast.FunctionDef | ast.ClassDef] = {}
        self.imports: dict[str, dict[str, Key]] = {}
        for wing in WINGS:
            for path in sorted((settings.BASE_DIR / "magnitudes" / wing).rglob("*.py")):
                self._read(path)

    def _read(self, path: Path) -> None:
        parts = path.relative_to(settings.BASE_DIR).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        tree = ast.parse(path.read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.nodes[module, node.name] = node
        self.imports[module] = {
            name.asname or name.name: (node.module, name.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for name in node.names
        }

    def may_raise(self, key: Key, seen: frozenset[Key] = frozenset()) -> bool:
        """Whether a function, or one that it calls by name, has a `raise`."""
        if key in seen or key not in self.nodes:
            return False
        node = self.nodes[key]
        if any(isinstance(part, ast.Raise) for part in ast.walk(node)):
            return True
        called = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
        names = {func.id for func in called if isinstance(func, ast.Name)}
        known = self.imports[key[0]]
        return any(self.may_raise(known.get(name, (key[0], name)), seen | {key}) for name in names)


ALL = Wings()
PUBLIC = [
    key
    for key, node in ALL.nodes.items()
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and ALL.may_raise(key)
]


@pytest.mark.parametrize("key", PUBLIC, ids=".".join)
def test_an_error_is_documented(key):
    told = ast.get_docstring(ALL.nodes[key]) or ""
    assert any(word in told for word in ("Raises:", "Error", "errors", "raises no error"))
