"""Rules that hold for the whole repository and that no other tool checks."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import conch_desktop

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(conch_desktop.__file__).parent

NESTED_LOOPS = {
    # A nested event loop inside a coroutine ends another task for good; the static dialogs are `exec` in disguise.
    "exec",
    "exec_",
    "processEvents",
    "waitForFinished",
    "asyncClose",
    "getOpenFileName",
    "getOpenFileNames",
    "getSaveFileName",
    "getExistingDirectory",
    "getText",
    "getItem",
    "getColor",
}
NESTED_LOOPS_OF = {("QMessageBox", name) for name in ("question", "information", "warning", "critical", "about")}
PERMITTED = {("desktop/app.py", "exec")}
"""(module, name): the places where no coroutine can be running."""


def _calls(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            yield name, node.func.attr, node.lineno


def test_nothing_in_the_package_runs_a_nested_event_loop() -> None:
    found = [
        f"{module.relative_to(PACKAGE)}:{line} {owner}.{name}"
        for module in sorted(PACKAGE.rglob("*.py"))
        for owner, name, line in _calls(ast.parse(module.read_text("utf-8")))
        if (name in NESTED_LOOPS or (owner, name) in NESTED_LOOPS_OF)
        and (str(module.relative_to(PACKAGE)), name) not in PERMITTED
    ]
    assert not found


def test_every_module_says_in_its_first_line_what_it_is() -> None:
    silent = [
        str(module.relative_to(ROOT))
        for folder in ("src", "tests")
        for module in sorted((ROOT / folder).rglob("*.py"))
        if (tree := ast.parse(module.read_text("utf-8"))).body and not ast.get_docstring(tree)
    ]
    assert not silent


def test_every_folder_of_tests_is_a_package_so_that_names_never_collide() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [str(folder.relative_to(ROOT)) for folder in sorted(folders) if not (folder / "__init__.py").exists()]


def _tracked_texts() -> Iterator[tuple[str, str]]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (path := ROOT / name).is_file():  # one that is about to be removed is still listed
            yield name, path.read_bytes().decode("utf-8", "ignore")


# Put together here, so that this very file holds none of them.
MACHINE_PATHS = re.compile("|".join(f"/{folder}/" for folder in ("work", "root", "opt/wheels", "var/tmp")))
REGISTRIES = re.compile(
    "|".join(re.escape(".".join(parts)) for parts in (
        ("pypi", "org"), ("files", "pythonhosted", "org"), ("registry", "npmjs", "org"), ("deb", "debian", "org"),
        ("huggingface", "co"),
    ))
)  # fmt: skip


@pytest.mark.parametrize(
    "pattern", [pytest.param(MACHINE_PATHS, id="no machine's paths"), pytest.param(REGISTRIES, id="no registry's host")]
)
def test_the_repository_names_nothing_that_belongs_to_one_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}:{text[: match.start()].count(chr(10)) + 1} {match.group()}"
        for name, text in _tracked_texts()
        for match in pattern.finditer(text)
    ]
    assert not found
