"""Getting out of a granted folder, in every way we know: none of them reads, writes or even finds anything outside."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest

from conch_desktop.tools.files_places import FileTrouble, Folders, Place
from conch_desktop.tools.files_write import make, replace, whole
from tests.tools.conftest import SECRET, Escape, Pier

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")


def linked(name: str, target: str) -> Escape:
    """The path through a link in the granted folder."""

    def make(pier: Pier) -> str:
        first = name.partition("/")[0]
        (pier.pier / first).symlink_to(target.format(outside=pier.outside, pier=pier.pier))
        return name

    return make


def twice(pier: Pier) -> str:
    (pier.pier / "one").symlink_to("two")
    (pier.pier / "two").symlink_to(pier.outside)
    return "one/secret.txt"


def round_about(pier: Pier) -> str:
    (pier.pier / "deep").symlink_to(pier.outside / "deep")
    return "deep/../secret.txt"


def in_circles(pier: Pier) -> str:
    (pier.pier / "a").symlink_to("b")
    (pier.pier / "b").symlink_to("a")
    return "a/secret.txt"


ESCAPES: dict[str, Escape] = {
    "up": lambda pier: "../outside/secret.txt",
    "up and up": lambda pier: "boats/../../outside/secret.txt",
    "up from nowhere": lambda pier: "no/such/../../../outside/secret.txt",
    "absolute": lambda pier: str(pier.secret),
    "absolute, up": lambda pier: f"{pier.pier}/../outside/secret.txt",
    "slashes": lambda pier: f"//{pier.secret}",
    "dots": lambda pier: "./././../outside/./secret.txt",
    "the home": lambda pier: "~/../../../../" + str(pier.secret),
    "another's home": lambda pier: "~root/../" + str(pier.secret),
    "a name that begins alike": lambda pier: f"{pier.pier}-other/../outside/secret.txt",
    "by the folder's name": lambda pier: "pier/../outside/secret.txt",
    "blanks around": lambda pier: "  ../outside/secret.txt  ",
    "a null": lambda pier: "log.txt\0/../../outside/secret.txt",
    "backslashes": lambda pier: "..\\outside\\secret.txt",
    "percent": lambda pier: "%2e%2e/outside/secret.txt",
    "fullwidth dots": lambda pier: "．．/outside/secret.txt",
    "a file URL": lambda pier: f"file://{pier.secret}",
    "this process": lambda pier: f"/proc/self/root{pier.secret}",
    "its folder": lambda pier: "/proc/self/cwd/README.md",
    "a link to the file": linked("way", "{outside}/secret.txt"),
    "a link to the folder": linked("way/secret.txt", "{outside}"),
    "a link upwards": linked("way/outside/secret.txt", ".."),
    "a link to everything": linked("way/etc/passwd", "/"),
    "links to links": twice,
    "a link and back up": round_about,
    "links in circles": in_circles,
    "the program's own": lambda pier: "profile/conch.sqlite3",
    "the program's own, by a link": linked("way/conch.sqlite3", "{pier}/profile"),
    "the program's own, up": lambda pier: "boats/../profile/conch.sqlite3",
    "keys": lambda pier: ".ssh/id",
    "keys in capitals": lambda pier: ".SSH/id",
    "keys by a link": linked("way/id", ".ssh"),
    "very long": lambda pier: "../" * 3000 + "etc/passwd",
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
async def test_no_path_leads_outside(pier: Pier, escape: Escape) -> None:
    path = escape(pier)
    before = pier.everything_outside()
    own = (pier.own / "conch.sqlite3").read_bytes()
    folder = path.rpartition("/")[0]
    for name, args in [
        ("read_file", {"path": path}),
        ("list_files", {"path": folder or path}),
        ("find_files", {"words": SECRET, "path": folder or path}),
        ("find_files", {"words": SECRET}),
        ("edit_file", {"path": path, "old": SECRET, "new": "taken"}),
        ("write_file", {"path": path, "content": "taken"}),  # may make such a name inside, and nothing else
    ]:
        said = await pier.call(name, **args)
        assert SECRET not in said.text.replace(f"for “{SECRET}”", ""), name
        assert "root:" not in said.text, name
        if name == "list_files":
            assert said.is_error or "secret.txt" not in said.text
    assert pier.everything_outside() == before
    assert (pier.own / "conch.sqlite3").read_bytes() == own
    assert (pier.pier / ".ssh" / "id").read_text() == SECRET
    for tool in ("write_file", "edit_file"):
        found = pier.box.find(tool)
        assert found is not None
        assert found.preview is not None
        with contextlib.suppress(Exception):
            assert SECRET not in await found.preview(
                {"path": path, "content": "x", "old": "", "new": ""}, pier.context()
            )


async def test_links_that_stay_inside_lead_where_they_point(pier: Pier) -> None:
    (pier.pier / "newest").symlink_to("boats/Nordlys.md")
    assert "A ferry" in (await pier.call("read_file", path="newest")).text
    await pier.call("edit_file", path="newest", old="ferry", new="boat")
    assert (pier.pier / "newest").is_symlink()
    assert "A boat" in (pier.pier / "boats" / "Nordlys.md").read_text()


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
async def test_what_is_no_file_is_refused_at_once(pier: Pier, kind: str) -> None:
    place = pier.pier / "thing"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(place))
    elif kind == "folder":
        place.mkdir()
    else:
        pier.granted.append(Path("/dev"))
        place = Path("/dev/zero")
    async with asyncio.timeout(30):
        said = await pier.call("read_file", path=str(place))
        assert said.is_error
        assert "not a file" in said.text
        assert (await pier.call("write_file", path=str(place), content="x")).is_error
        await pier.call("find_files", words="x", path=str(pier.pier))


async def test_a_huge_file_is_refused_without_reading_it(pier: Pier) -> None:
    with (pier.pier / "huge").open("wb") as file:
        file.truncate(50_000_000_000)
    async with asyncio.timeout(30):
        said = await pier.call("read_file", path="huge")
    assert "too large: 50,000,000,000 bytes" in said.text


SWAPS = {"a folder on the way": "boats", "the file itself": "boats/secret.txt", "the granted folder": "."}


@pytest.mark.parametrize("swapped", SWAPS.values(), ids=SWAPS)
def test_a_link_put_there_after_the_check_is_not_followed(pier: Pier, swapped: str) -> None:
    """The worst moment of a race, held still: the path was resolved and checked, only then a link takes its place."""
    (pier.pier / "boats" / "secret.txt").write_text("harmless")
    (pier.outside / "boats").mkdir()
    (pier.outside / "boats" / "secret.txt").write_text(SECRET)
    folders = Folders(lambda: [pier.pier], (pier.own,))
    place = folders.find("boats/secret.txt")
    change = whole(folders, "boats/secret.txt", "taken")
    before = pier.everything_outside()
    target = pier.pier / swapped
    target.rename(pier.base / "aside")
    target.symlink_to(pier.outside / swapped if swapped != "boats" else pier.outside)
    with pytest.raises(FileTrouble), folders.parent(place) as (opened, name):
        assert opened.read(name, 100, "") == b""  # not reached
    with pytest.raises(FileTrouble):
        make(folders, change)
    if swapped == "boats":
        with pytest.raises(FileTrouble), folders.folder(folders_place(place)):
            pass
    assert pier.everything_outside() == before


def folders_place(place: Place) -> Place:
    """The folder a file is in, as it was checked."""
    return Place(place.real.parent, place.root, place.shown)


def test_a_write_over_a_link_that_has_just_come_replaces_the_link(pier: Pier) -> None:
    folders = Folders(lambda: [pier.pier], (pier.own,))
    place = folders.find("log.txt")
    before = pier.everything_outside()
    (pier.pier / "log.txt").unlink()
    (pier.pier / "log.txt").symlink_to(pier.secret)
    with folders.parent(place) as (opened, name):
        replace(opened, name, b"mine")
    assert pier.everything_outside() == before
    assert not (pier.pier / "log.txt").is_symlink()
    assert (pier.pier / "log.txt").read_bytes() == b"mine"


async def test_a_link_that_comes_and_goes_never_opens_the_way_out(pier: Pier) -> None:
    """The race: while calls run, a folder is again and again replaced by a link to the outside and put back."""
    (pier.pier / "boats" / "secret.txt").write_text("harmless")
    before = pier.everything_outside()
    ending = threading.Event()

    def swap() -> None:
        boats, aside = pier.pier / "boats", pier.pier / "aside"
        while not ending.is_set():
            with contextlib.suppress(OSError):
                boats.rename(aside)
                boats.symlink_to(pier.outside)
            with contextlib.suppress(OSError):
                if boats.is_symlink():
                    boats.unlink()
                else:
                    shutil.rmtree(boats)  # a write has just made it anew
                aside.rename(boats)

    thread = threading.Thread(target=swap)
    thread.start()
    read = 0
    try:
        for number in range(250):
            said = await pier.call("read_file", path="boats/secret.txt")
            assert SECRET not in said.text
            read += "harmless" in said.text
            await pier.call("write_file", path="boats/secret.txt", content=f"harmless {number}")
            assert SECRET not in (await pier.call("list_files", path="boats")).text
    finally:
        ending.set()
        thread.join()
    assert pier.everything_outside() == before
    assert read > 0
