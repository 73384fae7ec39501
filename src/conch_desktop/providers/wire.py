"""The protocol every wire keeps: what a request holds and what a wire can be asked (DESIGN 4.5)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from conch_desktop.domain.events import WireEvent
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.models import Family, Model
from conch_desktop.domain.tools import Tool

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    `tools` are given natively. `tool_choice` is "auto", "none", "required" or the name of one of them. `grammar` is
    GBNF; a wire sends it only to a llama.cpp server, and then never together with tools (llama.cpp refuses both).
    `temperature` None and `effort` "" (a thinking level) leave it to the provider. `chat` is the chat it belongs to,
    "" when it belongs to none: a wire that keeps something of a chat keeps it by that.
    """

    model: Model
    system: str
    messages: tuple[SentMessage, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: str = "auto"
    grammar: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    effort: str = ""
    chat: str = ""


class StateBook(Protocol):
    """Where a wire keeps what it has to know of a chat, in its own words; no secrets. `endpoint` is an address."""

    async def read(self, chat: str, provider: str, endpoint: str) -> str:
        """What was kept, "" when nothing was."""
        ...

    async def write(self, chat: str, provider: str, endpoint: str, value: str) -> None:
        """Keeps a text in place of the one before; "" removes it."""
        ...


class Wire(Protocol):
    """The code that speaks one chat API with one provider."""

    async def list_models(self) -> list[Model]:
        """The provider's models. Raises `ProviderError`."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[WireEvent, None]:
        """Sends the request and yields what comes back; the last event is a `Finish` or a `Refusal`.

        It raises nothing of its own. Closing the generator drops the connection.
        """
        ...

    def read(self, response: httpx.Response, *, tools: Sequence[str] | None = None) -> AsyncGenerator[WireEvent, None]:
        """Yields the events of a response that has arrived or is arriving. `tools` are the names that were offered."""
        ...

    def schema_family(self, model: Model) -> Family:
        """Which schema dialect the model takes."""
        ...

    async def tools_for(self, model: Model) -> bool | None:
        """Whether the model takes tools natively; None when nobody says."""
        ...

    async def takes_grammar(self, model: Model) -> bool:
        """Whether the server behind the model constrains an answer by GBNF (llama.cpp does)."""
        ...

    async def window_for(self, model: Model) -> int | None:
        """The context window in tokens; None when nobody says."""
        ...

    async def fingerprint(self, model: Model) -> str:
        """What tells that the model behind the name is still the same; "" when nothing does.

        A lesson is compared by it only where both are known: a provider that could not be asked tells nothing.
        """
        ...

    async def aclose(self) -> None:
        """Closes what the wire holds open."""
        ...
