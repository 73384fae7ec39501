"""The strict validator: formats, patterns as JSON Schema means them, no network."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.calls.validator import BROKEN_SCHEMA, strict_validator

FORMATS: list[tuple[str, list[str], list[str]]] = [
    ("browser-ref", ["e12", "f1e3"], ["", "e12\n", "#e12", "e 12", "e１２", "e" * 17]),
    ("date", ["2027-04-03"], ["2027-4-3", "2027-02-30", "03/04/2027", "20270403", "2027-W10-1"]),
    ("time", ["10:20:30Z", "10:20:30.5+02:00"], ["10:20", "25:00:00Z", "10:20:30"]),
    (
        "date-time",
        ["2027-04-03T10:20:30Z", "2027-04-03t10:20:30.1234567-01:00"],
        ["2027-04-03", "2027-02-30T10:20:30Z"],
    ),
    ("email", ["a@b.test"], ["a", "a b@c", "@b"]),
    ("uri", ["https://a.test/x", "mailto:a@b"], ["a.test", "https:", "https://a b"]),
    ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567", "x" * 36]),
    ("ipv4", ["10.0.0.1"], ["10.0.0.256", "::1"]),
    ("ipv6", ["::1"], ["10.0.0.1", "g::"]),
    ("something-else", ["anything"], []),
]


@pytest.mark.parametrize(("name", "good", "bad"), FORMATS)
def test_the_formats_that_matter_are_checked(name: str, good: list[str], bad: list[str]) -> None:
    validator = strict_validator({"format": name})
    assert [text for text in good if not validator.is_valid(text)] == []
    assert [text for text in bad if validator.is_valid(text)] == []
    assert validator.is_valid(5)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("^e[0-9]+$", "e12", "e12\n"),
        ("^[a$]+$", "a$", "a$\n"),
        (r"^\$$", "$", "$\n"),
        (r"^\d$", "5", "٥"),
        ("b", "abc", "acd"),
    ],
)
def test_a_pattern_means_what_json_schema_says(pattern: str, good: str, bad: str) -> None:
    validator = strict_validator({"pattern": pattern})
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)


@pytest.mark.parametrize("schema", [{"$ref": "https://example.invalid/x"}, {"$ref": "#/nowhere"}, {"pattern": "("}])
def test_what_can_not_be_followed_is_a_broken_schema_and_never_fetched(schema: dict[str, Any]) -> None:
    with pytest.raises(BROKEN_SCHEMA):
        list(strict_validator(schema).iter_errors("x"))
