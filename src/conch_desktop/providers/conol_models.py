"""Reads conol.ai's list of agent servers, in which its models stand, and keeps it as other lists are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.providers.asking import UnansweredError, ask_json
from conch_desktop.providers.facts import Listed
from conch_desktop.providers.openai_models import Listing, read_listing

PATH = "/api/agent-servers"


class AgentServers(Listed):
    """What conol.ai says of its models."""

    async def _ask_list(self) -> Listing:
        """The list of models; an empty one where there is none."""
        try:
            value = await ask_json(self._connection, f"{self._base}{PATH}")
        except UnansweredError as error:
            if 300 <= error.status < 500:
                return Listing()
            raise
        return read_servers(value, self._provider) or Listing()


def read_servers(value: Json, provider: str) -> Listing | None:
    """The models of all agents of all servers; None when it is no such list."""
    servers = value
    if isinstance(value, dict):
        servers = next((value[key] for key in ("agentServers", "servers") if isinstance(value.get(key), list)), None)
    if not isinstance(servers, list):
        return None
    return read_listing([_plain(model) for server in servers for model in _models(server)], provider)


def _models(server: Json) -> Iterator[Json]:
    if not isinstance(server, dict):
        return
    able = server.get("capabilities")
    agents = able.get("agents") if isinstance(able, dict) else None
    for holder in (*(agents if isinstance(agents, list) else ()), server):
        models = holder.get("models") if isinstance(holder, dict) else None
        yield from models if isinstance(models, list) else ()


def _plain(model: Json) -> Json:
    """An entry with the names of fields that most lists use."""
    if isinstance(model, str):
        model = {"id": model, "name": model}
    if not isinstance(model, dict):
        return model
    plain: dict[str, Any] = {
        "id": _first(model, "id", "modelId", "value", "name"),
        "name": _first(model, "displayName", "name"),
        "context_length": model.get("contextWindow"),
    }
    # Whatever a model sees elsewhere: what is sent to a session is text.
    plain["architecture"] = {"input_modalities": ["text"]}
    return plain


def _first(model: Mapping[str, Any], *keys: str) -> str:
    return next((model[key] for key in keys if isinstance(model.get(key), str) and model[key]), "")
