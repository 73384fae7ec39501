"""The file tools: what a model and a person get for each call, and what is on the disk afterwards."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conch_desktop.calls.read import read_call
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.pictures import LARGEST
from conch_desktop.tools import files_look, files_read
from conch_desktop.tools.files_places import check_folder
from conch_desktop.tools.files_write import LARGEST_WRITTEN
from tests.tools.conftest import Pier

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


async def test_without_a_granted_folder_every_tool_says_how_to_grant_one(pier: Pier) -> None:
    pier.granted.clear()
    for name, args in [
        ("list_files", {}),
        ("find_files", {"words": "ferry"}),
        ("read_file", {"path": str(pier.secret)}),
        ("write_file", {"path": "new.txt", "content": "x"}),
        ("edit_file", {"path": "log.txt", "old": "a", "new": "b"}),
    ]:
        said = await pier.call(name, **args)
        assert said.is_error
        assert "No folder is granted" in said.text
        assert "Settings" in said.text


async def test_a_folder_is_listed_with_sizes_and_folders_marked(pier: Pier) -> None:
    (pier.pier / "way").symlink_to(pier.outside)
    said = await pier.call("list_files")
    assert said.text.splitlines() == ["boats/", "log.txt  28 bytes", "profile/", "way  (a link)"]
    assert (await pier.call("list_files", path="boats")).text == "Nordlys.md  19 bytes"
    assert (await pier.call("list_files", path="log.txt")).is_error
    (pier.pier / "boats" / "Nordlys.md").unlink()
    assert (await pier.call("list_files", path="boats")).text == "boats is empty."


async def test_a_long_listing_is_cut_with_words(pier: Pier) -> None:
    for number in range(files_look.LISTED_AT_MOST + 5):
        (pier.pier / "boats" / f"{number:04}").touch()
    lines = (await pier.call("list_files", path="boats")).text.splitlines()
    assert len(lines) == files_look.LISTED_AT_MOST + 1
    assert lines[-1] == "… and 6 more. Use find_files."


@pytest.mark.parametrize(
    ("words", "path", "found"),
    [
        ("nordlys", "", ["boats/Nordlys.md", "boats/Nordlys.md:1: # Nordlys"]),
        ("*.MD", "", ["boats/Nordlys.md"]),
        ("ferry", "", ["log.txt:1: Ferry at 07:40", "boats/Nordlys.md:2: A ferry."]),
        ("ferry", "boats", ["boats/Nordlys.md:2: A ferry."]),
        ("tide at", "", ["log.txt:2: Tide at noon"]),
        ("submarine", "", ["Nothing was found for “submarine”."]),
    ],
)
async def test_files_are_found_by_name_pattern_and_words(pier: Pier, words: str, path: str, found: list[str]) -> None:
    said = await pier.call("find_files", words=words, path=path)
    assert said.text.splitlines() == found


async def test_two_folders_are_told_apart_by_their_names(pier: Pier) -> None:
    (pier.base / "quay").mkdir()
    (pier.base / "quay" / "log.txt").write_text("Other")
    pier.granted.append(pier.base / "quay")
    assert (await pier.call("list_files")).text == "pier/\nquay/"
    assert "Other" in (await pier.call("read_file", path="quay/log.txt")).text
    assert "Ferry" in (await pier.call("read_file", path="pier/log.txt")).text
    assert "pier/boats/Nordlys.md" in (await pier.call("find_files", words="nordlys")).text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "long.txt, 300 lines:\nline 1\n"),
        ({"from_line": 299}, "long.txt, 300 lines, here 299–300:\nline 299\nline 300"),
        ({"from_line": 2, "lines": 1}, "long.txt, 300 lines, here 2–2:\nline 2\n[Go on with from_line 3.]"),
        ({"from_line": 301}, "long.txt has 300 lines. Ask for a line from 1 to 300."),
    ],
)
async def test_text_is_read_by_lines(pier: Pier, args: dict[str, int], said: str) -> None:
    (pier.pier / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 301)))
    assert (await pier.call("read_file", path="long.txt", **args)).text.startswith(said)


async def test_a_long_text_is_cut_and_says_how_to_go_on(pier: Pier) -> None:
    (pier.pier / "long.txt").write_text("x" * 99 + "\n" + "".join(f"{n:099}\n" for n in range(2, 2001)))
    said = (await pier.call("read_file", path="long.txt")).text
    assert len(said) < files_read.MOST_CHARACTERS + 200
    assert said.endswith("[Go on with from_line 601.]")
    assert f"{601:099}" in (await pier.call("read_file", path="long.txt", from_line=601)).text
    (pier.pier / "one.txt").write_text("y" * 200_000)
    assert (await pier.call("read_file", path="one.txt")).text.endswith("[Line 1 is cut here.]")


@pytest.mark.parametrize(
    ("data", "is_error", "said"),
    [
        (b"", False, "file is empty."),
        (b"\xef\xbb\xbfmarked", False, "file, 1 line:\nmarked"),
        ("wide".encode("utf-16"), False, "file, 1 line:\nwide"),
        (b"caf\xe9", False, "caf\ufffd"),
        (b"\0\1\2\3" * 500, True, "file is no text: 2,000 bytes of something else."),
        (b"GIF89a" + b"0" * LARGEST, True, "are the most."),
        (b"a" * (files_read.LARGEST_FILE + 1), True, "file is too large"),
        (b"%PDF-1.7 nonsense", True, "is a PDF that can’t be read"),
    ],
    ids=["empty", "a mark", "UTF-16", "Latin", "binary", "a large picture", "a large file", "a broken PDF"],
)
async def test_odd_files_are_read_or_refused_with_words(pier: Pier, data: bytes, is_error: bool, said: str) -> None:
    (pier.pier / "file").write_bytes(data)
    given = await pier.call("read_file", path="file")
    assert (given.is_error, said in given.text) == (is_error, True), given.text[:300]


async def test_a_picture_comes_as_a_picture_whatever_it_is_called(pier: Pier) -> None:
    (pier.pier / "map.txt").write_bytes(PNG)
    said = await pier.call("read_file", path="map.txt")
    assert [(one.data, one.media_type) for one in said.pictures] == [(PNG, "image/png")]
    assert said.text == "map.txt: a picture (image/png, 28 bytes)."


def pdf(text: str) -> bytes:
    """A PDF with one page of text."""
    stream = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = b"%PDF-1.4\n"
    places = []
    for number, value in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, value)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return body + head + table + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(body))


async def test_the_text_of_a_pdf_is_read(pier: Pier) -> None:
    (pier.pier / "tide.pdf").write_bytes(pdf("High tide at noon"))
    said = await pier.call("read_file", path="tide.pdf")
    assert "[page 1]\nHigh tide at noon" in said.text
    (pier.pier / "scan.pdf").write_bytes(pdf(""))
    assert "no text in this PDF" in (await pier.call("read_file", path="scan.pdf")).text


async def test_a_downloaded_file_is_minded_and_a_person_s_own_is_not(
    pier: Pier, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await pier.call("read_file", path="log.txt")).outside == ""
    monkeypatch.setattr("platformdirs.user_downloads_path", lambda: pier.pier / "boats")
    assert (await pier.call("read_file", path="boats/Nordlys.md")).outside == "the downloaded file boats/Nordlys.md"
    if hasattr(os, "setxattr"):
        try:
            os.setxattr(pier.pier / "log.txt", "user.xdg.origin.url", b"https://example.org/log.txt")
        except OSError:
            pytest.skip("this file system keeps no marks")
        assert (await pier.call("read_file", path="log.txt")).outside == "the downloaded file log.txt"


# Writing ------------------------------------------------------------------------------------------------------------


async def test_a_new_file_is_made_with_its_folders(pier: Pier) -> None:
    said = await pier.call("write_file", path="new/deep/note.txt", content="One\nTwo\n")
    assert said.text == "Made new/deep/note.txt: 2 lines now."
    assert (pier.pier / "new" / "deep" / "note.txt").read_bytes() == b"One\nTwo\n"


@pytest.mark.parametrize(
    ("before", "tool", "args", "after"),
    [
        (b"a\nb\n", "write_file", {"content": "c\nd\n"}, b"c\nd\n"),
        (b"a\r\nb\r\n", "write_file", {"content": "c\nd\n"}, b"c\r\nd\r\n"),
        (b"a\r\nb\r\n", "write_file", {"content": "c\r\nd"}, b"c\r\nd"),
        (b"\xef\xbb\xbfa\n", "write_file", {"content": "b\n"}, b"\xef\xbb\xbfb\n"),
        (b"a\nb\nc\n", "edit_file", {"old": "b", "new": "x\ny"}, b"a\nx\ny\nc\n"),
        (b"a\r\nb\r\nc\r\n", "edit_file", {"old": "a\nb", "new": "x\ny\nz"}, b"x\r\ny\r\nz\r\nc\r\n"),
        (b"no end", "edit_file", {"old": " end", "new": ""}, b"no"),
    ],
)
async def test_line_ends_marks_and_modes_stay(
    pier: Pier, before: bytes, tool: str, args: dict[str, str], after: bytes
) -> None:
    file = pier.pier / "file.txt"
    file.write_bytes(before)
    file.chmod(0o640)
    said = await pier.call(tool, path="file.txt", **args)
    assert not said.is_error, said.text
    assert file.read_bytes() == after
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in pier.pier.iterdir() if path.name.endswith(".new")] == []


@pytest.mark.parametrize(
    ("before", "tool", "args", "said"),
    [
        (b"a\n", "write_file", {"content": "a\n"}, "holds just that already"),
        (b"a a\n", "edit_file", {"old": "a", "new": "b"}, "2 times"),
        (b"a\n", "edit_file", {"old": "z", "new": "b"}, "not in file.txt"),
        (b"a\n", "edit_file", {"old": "", "new": "b"}, "not in file.txt"),
        (b"\xff\xfe\0", "edit_file", {"old": "a", "new": "b"}, "no UTF-8 text"),
        (b"a", "write_file", {"content": "x" * (LARGEST_WRITTEN + 1)}, "are the most"),
        (None, "edit_file", {"old": "a", "new": "b"}, "Make it with write_file"),
    ],
)
async def test_a_write_that_makes_no_sense_changes_nothing(
    pier: Pier, before: bytes | None, tool: str, args: dict[str, str], said: str
) -> None:
    file = pier.pier / "file.txt"
    if before is not None:
        file.write_bytes(before)
    given = await pier.call(tool, path="file.txt", **args)
    assert given.is_error
    assert said in given.text
    assert (file.read_bytes() if file.exists() else None) == before
    assert pier.undos.kept == {}


async def preview(pier: Pier, name: str, **args: str) -> str:
    tool = pier.box.find(name)
    assert tool is not None
    assert tool.preview is not None
    return await tool.preview(args, pier.context())


async def test_the_change_is_shown_before_it_is_made(pier: Pier) -> None:
    shown = await preview(pier, "edit_file", path="log.txt", old="noon", new="one")
    assert shown.splitlines() == ["log.txt, line 1:", " Ferry at 07:40", "-Tide at noon", "+Tide at one"]
    assert (await preview(pier, "write_file", path="new.txt", content="a\n")).splitlines() == [
        "new file new.txt:", "+a",
    ]  # fmt: skip
    shown = await preview(pier, "write_file", path="n.txt", content="a\u202eb\u200bc\x1b[31m")
    assert "+a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩[31m" in shown
    many = "".join(f"{n}\n" for n in range(40_000))
    shown = await preview(pier, "write_file", path="log.txt", content=many)
    assert "The change goes on" in shown
    assert len(shown) < 50_000


async def test_a_file_that_changed_after_it_was_shown_is_not_written(pier: Pier) -> None:
    tool = pier.box.find("edit_file")
    assert tool is not None
    assert tool.preview is not None
    args, context = {"path": "log.txt", "old": "noon", "new": "one"}, pier.context()
    await tool.preview(args, context)
    (pier.pier / "log.txt").write_text("Tide at noon\nSomebody else was here\n")
    said = await tool.run(args, context)
    assert "changed meanwhile" in said.text
    assert "Somebody else" in (pier.pier / "log.txt").read_text()


async def test_a_write_can_be_taken_back_until_the_file_changes(pier: Pier) -> None:
    before = (pier.pier / "log.txt").read_bytes()
    await pier.call("edit_file", path="log.txt", old="noon", new="one")
    await pier.call("write_file", path="new.txt", content="x")
    edit, new = pier.undos.kept.values()
    assert await pier.files.take_back(edit) == "log.txt is as it was before."
    assert (pier.pier / "log.txt").read_bytes() == before
    assert await pier.files.take_back(new) == "new.txt is gone again."
    assert not (pier.pier / "new.txt").exists()
    with pytest.raises(ConchError, match="changed since"):
        await pier.files.take_back(edit)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
async def test_a_file_or_folder_without_permission_is_told_in_words(pier: Pier) -> None:
    (pier.pier / "boats").chmod(0o500)
    try:
        said = await pier.call("write_file", path="boats/new.txt", content="x")
    finally:
        (pier.pier / "boats").chmod(0o700)
    assert "does not permit" in said.text


async def test_a_file_that_may_only_be_read_is_not_replaced(pier: Pier) -> None:
    (pier.pier / "log.txt").chmod(0o444)
    assert "may only be read" in (await pier.call("write_file", path="log.txt", content="x")).text


@pytest.mark.parametrize(
    ("tool", "raw", "fits"),
    [
        ("list_files", "{}", True),
        ("read_file", '{"path": "a", "from_line": "3"}', True),
        ("read_file", '{"path": "a", "from_line": 0}', False),
        ("read_file", "{}", False),
        ("write_file", '{"path": "a", "content": ""}', True),
        ("edit_file", '{"path": "a", "old": "b"}', False),
    ],
)
def test_arguments_are_checked(pier: Pier, tool: str, raw: str, fits: bool) -> None:
    found = pier.box.find(tool)
    assert found is not None
    assert read_call(raw, found).ok is fits


@pytest.mark.parametrize("folder", ["/", "no/such/folder", "log.txt", "profile", ".ssh"])
def test_what_is_no_folder_of_a_person_is_not_granted(pier: Pier, folder: str) -> None:
    with pytest.raises(ConchError):
        check_folder(str(Path(pier.pier, folder)), (pier.own,))
    assert check_folder(str(pier.pier), (pier.own,)) == pier.pier
