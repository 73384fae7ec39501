"""Providers, models, and the ways a turn can give a model its tools (DESIGN 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Family = Literal["gemini", "anthropic", "permissive"]
"""Which schema dialect a model's provider takes."""

Mode = Literal["native", "strict", "words", "none"]
"""How a turn gives tools to a model: natively, natively in the strict dialect, in words, or not at all."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A service or server with models, as a person set it up.

    `id` is made once and stays (it is also the account in the key store); `kind` is a name of the registry;
    `url` is "" for the kind's own address; `key_env` names an environment variable that holds the key. `proxy` is the
    address of a proxy for it alone, `ca_file` a file with certificates to trust beside the usual ones. `headers` go
    with every request; of those that hold secrets only the names are known here, in `secret_headers`, until the
    values are read from the key store for a connection.
    """

    id: str
    kind: str
    name: str
    url: str = ""
    key_env: str = ""
    proxy: str = ""
    ca_file: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secret_headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """One entry of a provider's list.

    `name` is what the provider calls it, `label` what people read. `window` is in tokens. `tools` and `pictures`
    are what the provider says of it; None is unknown. `note` is a sentence about what it can't do. `price_in` and
    `price_out` are in US dollars for a million tokens, 0 for a free model.
    """

    provider: str
    name: str
    label: str = ""
    window: int | None = None
    tools: bool | None = None
    pictures: bool | None = None
    note: str = ""
    price_in: float | None = None
    price_out: float | None = None

    @property
    def id(self) -> str:
        """Provider and name; unique in the program."""
        return f"{self.provider}/{self.name}"
