"""Secrets are taken out of a definition and come back; what is no secret stays to be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.integrations import HIDDEN, Definition
from conch_desktop.tools.mcp.hiding import joined, mask, secret_args, split

ENV = [
    ("BERTH_TOKEN", "bt-55", True),
    ("OPENAI_API_KEY", "x", True),
    ("DB_PASSWORD", "x", True),
    ("GITHUB_PERSONAL_ACCESS_TOKEN", "x", True),
    ("GITLAB_PAT", "x", True),
    ("DATABASE_URL", "postgres://host/db", True),
    ("STORE", "postgres://me:pw@host/db", True),
    ("ANYTHING", "ghp_0123456789abcdef0123", True),
    ("ANYTHING", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", True),
    ("TOKEN", "${input:token}", False),
    ("ROOM", "7", False),
    ("MAX_TOKENS", "4000", False),
    ("KEYBOARD_LAYOUT", "de", False),
    ("SSH_KEY_PATH", "/home/me/key", False),
    ("LOG_LEVEL", "debug", False),
    ("PATH", "/usr/bin", False),
]

ARGS = [
    (["--api-key=abc"], [0]),
    (["--api-key", "abc"], [1]),
    (["--token", "--verbose"], []),
    (["-y", "mcp-remote", "https://pier.example", "--header", "Authorization: Bearer abcdef"], [4]),
    (["--db", "postgres://me:pw@host/db"], [1]),
    (["sk-0123456789abcdef0123"], [0]),
    (["-y", "@scope/server-token", "/home/me"], []),
    (["--token=${env:TOKEN}"], [0]),
    (["--port", "80"], []),
]

URLS = [
    ("https://pier.example/mcp?room=7", "https://pier.example/mcp?room=7"),
    ("https://pier.example/mcp?api_key=abc&room=7", f"https://pier.example/mcp?api_key={HIDDEN}&room=7"),
    ("https://me:pw@pier.example/mcp", f"https://{HIDDEN}@pier.example/mcp"),
]


@pytest.mark.parametrize(("name", "value", "is_secret"), ENV)
def test_values_that_look_like_keys_are_hidden(name: str, value: str, is_secret: bool) -> None:
    public, secrets = split(Definition("a", "stdio", command="x", env={name: value}))
    assert (public.env[name] == HIDDEN) == is_secret
    assert secrets == ({f"env/{name}": value} if is_secret else {})


@pytest.mark.parametrize(("args", "found"), ARGS)
def test_arguments_that_hold_a_key_are_found(args: list[str], found: list[int]) -> None:
    assert secret_args(args) == found


@pytest.mark.parametrize(("url", "shown"), URLS)
def test_an_address_is_shown_without_its_keys(url: str, shown: str) -> None:
    public, secrets = split(Definition("a", "http", url=url))
    assert public.url == shown
    assert joined(public, secrets)[0].url == url


def test_headers_of_ones_own_are_hidden_but_for_harmless_ones() -> None:
    headers = {"Authorization": "Bearer abc", "X-Room": "7", "Accept": "text/plain"}
    public, _ = split(Definition("a", "http", url="https://pier.example", headers=headers))
    assert public.headers == {"Authorization": HIDDEN, "X-Room": HIDDEN, "Accept": "text/plain"}


WORDS = st.text(max_size=12)
DEFINITIONS = st.builds(
    Definition,
    st.just("a"),
    st.just("stdio"),
    command=st.just("x"),
    args=st.lists(WORDS | st.sampled_from(["--token", "--key=a", "Authorization: b c"])).map(tuple),
    env=st.dictionaries(st.sampled_from(["TOKEN", "ROOM", "KEY"]), WORDS),
)


@given(DEFINITIONS)
def test_what_was_taken_out_comes_back(definition: Definition) -> None:
    public, secrets = split(definition)
    whole, missing = joined(public, secrets)
    assert not missing
    assert replace(whole, secrets=frozenset()) == definition


def test_what_is_named_as_a_secret_is_one() -> None:
    marked = Definition(
        "a", "stdio", command="x", args=("abc",), env={"ROOM": "7"}, secrets=frozenset({"env/ROOM", "args/0"})
    )
    public, secrets = split(marked)
    assert secrets == {"env/ROOM": "7", "args/0": "abc"}
    assert public.secrets == marked.secrets
    again, none = split(public)
    assert (again, none) == (public, {})


def test_what_is_missing_is_named() -> None:
    public, _ = split(Definition("a", "stdio", command="x", env={"TOKEN": "abc"}))
    assert joined(public, {})[1] == ["env/TOKEN"]


def test_masks_hide_a_secret_and_its_parts_wherever_they_stand() -> None:
    hide = mask(["Bearer abcdefgh", "--key=12345678"])
    assert hide("sent Bearer abcdefgh, then abcdefgh and 12345678") == f"sent {HIDDEN}, then {HIDDEN} and {HIDDEN}"
    assert mask([])("nothing") == "nothing"
