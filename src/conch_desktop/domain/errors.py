"""Every error meant for a person: what happened, why, and what can be done.

ConchError
├── UsageError           the program was asked for something it can't take
├── StoreError           the database could not be used
│   ├── NotOurStore      the file is not a database of this program, or damaged
│   └── NewerStore       written by a newer version of the program
├── SecretError          a key could not be kept or read
├── ProviderError        a provider could not be used (carries the refusal's kind)
├── LocalModelError      the model on this computer could not be fetched or started
└── IntegrationError     an MCP server could not be started, reached or understood
"""

from __future__ import annotations


class ConchError(Exception):
    """`what` says what happened and why; `advice` what the person can do."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".strip()


class UsageError(ConchError):
    """The program was asked for something it can't take."""


class StoreError(ConchError):
    """The database could not be used."""


class NotOurStore(StoreError):
    """The file is not a database of this program, or it is damaged. It is left as it is."""


class NewerStore(StoreError):
    """The database was written by a newer version of the program. It is left as it is."""


class SecretError(ConchError):
    """A key could not be kept or read."""


class ProviderError(ConchError):
    """A provider could not be used. `kind` is a `RefusalKind`."""

    def __init__(self, kind: str, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.kind = kind


class LocalModelError(ConchError):
    """The model on this computer could not be fetched or started."""


class IntegrationError(ConchError):
    """An MCP server could not be started, reached or understood."""
