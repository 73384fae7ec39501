"""The command line itself: names, helps, exit statuses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from conch_desktop import __version__, cli
from conch_desktop.domain.errors import LocalModelError
from conch_desktop.providers import model_file


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    for name in cli._COMMANDS:
        assert name in out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_an_unknown_command_is_2_and_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fly"]) == 2
    err = capsys.readouterr().err
    assert "no command fly" in err
    assert "conch-desktop ask" in err


@pytest.mark.parametrize("arguments", [[], ["open"], ["--data-dir", "x"], ["open", "--data-dir", "x"]])
def test_the_window_is_what_opens_without_a_command(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    opened: list[Path | None] = []

    def run_window(*, data_dir: Path | None, model: str, screenshot: Path | None) -> int:
        opened.append(data_dir)
        return 0

    monkeypatch.setattr("conch_desktop.desktop.app.run_window", run_window)
    assert cli.main(arguments) == 0
    assert opened == [Path("x") if "x" in arguments else None]


def test_model_get_says_where_the_file_is_or_why_it_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(model_file, "small_model_path", lambda: tmp_path / "small.gguf")
    assert cli.main(["model", "get"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'small.gguf'}\n"

    async def fails(progress: object) -> Path:
        await asyncio.sleep(0)
        raise LocalModelError("There is no network.", "Connect, then try again.")

    monkeypatch.setattr(model_file, "small_model_path", lambda: None)
    monkeypatch.setattr(model_file, "fetch", fails)
    assert cli.main(["model", "get"]) == 1
    assert capsys.readouterr().err == "There is no network. Connect, then try again.\n"
