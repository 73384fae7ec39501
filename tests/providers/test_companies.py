"""Rows of companies claim no more than is known, and keys are known by their beginning alone."""

from __future__ import annotations

import pytest

from conch_desktop.domain.models import Provider
from conch_desktop.providers.companies import COMPANIES, Company, company_at, owner_of_key
from conch_desktop.providers.registry import KINDS, at_home, base_url

TRIED = {"openrouter", "openai", "anthropic", "gemini", "gemini-native", "conol", "conol-gateway", "own", "ollama"}
"""Against strict copies of their APIs; llama.cpp by recorded answers."""


@pytest.mark.parametrize("row", COMPANIES.values(), ids=lambda row: row.name)
def test_every_row_is_of_a_kind_that_is_spoken_and_says_when_it_is_untested(row: Company) -> None:
    assert KINDS[row.kind].wire
    assert row.untested is (row.name not in TRIED | {"llama.cpp"})
    assert not (row.port and row.key_env)
    if row.address:
        assert base_url(Provider("", row.kind, "", row.address)) == row.address
        assert row.address.startswith("http://127.0.0.1:" if row.port else "https://")


def test_no_beginning_of_a_key_is_that_of_another_company() -> None:
    owned = [(prefix, row.name) for row in COMPANIES.values() for prefix in row.prefixes]
    for prefix, name in owned:
        assert [other for start, other in owned if prefix.startswith(start)] == [name]


@pytest.mark.parametrize(
    ("key", "company", "doubtful"),
    [
        ("sk-or-v1-00ab", "openrouter", False),
        (" sk-ant-api03-00ab\n", "anthropic", False),
        ("sk-proj-00ab", "openai", False),
        ("AIzaSy00ab", "gemini", False),
        ("gsk_00ab", "groq", False),
        ("xai-00ab", "xai", False),
        ("sk-00ab", "", True),
        ("00ab", "", False),
        ("", "", False),
    ],
)
def test_a_key_is_known_by_its_beginning(key: str, company: str, doubtful: bool) -> None:
    owner = owner_of_key(key)
    assert owner.company == (company if company in COMPANIES else "")
    assert bool(owner.doubt) is doubtful or company not in COMPANIES


@pytest.mark.parametrize(
    ("url", "company"),
    [
        ("api.groq.com", "groq"),
        ("https://API.groq.com/openai/v1/models", "groq"),
        ("https://generativelanguage.googleapis.com", "gemini"),
        ("http://127.0.0.1:1234/v1", ""),
        ("https://groq.example.org", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_a_company_is_known_by_its_host(url: str, company: str) -> None:
    found = company_at(url)
    assert (found.name if found else "") == company


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("http://localhost:1", True),
        ("//127.0.0.1", True),
        ("http://0.0.0.0:8080", True),
        ("http://192.168.1.9", True),
        ("http://10.1.2.3", True),
        ("http://100.101.102.103", True),
        ("http://[::1]:80", True),
        ("http://[fd00::1]", True),
        ("http://nas:8080", True),
        ("http://nas.local", True),
        ("http://8.8.8.8", False),
        ("http://[2001:4860:4860::8888]", False),
        ("http://example.org", False),
        ("http://local.example.org", False),
        ("http://", False),
        ("http://[", False),
    ],
)
def test_home_is_this_computer_and_private_networks(url: str, home: bool) -> None:
    assert at_home(url) is home
