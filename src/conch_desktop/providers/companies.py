"""Well-known companies and servers that speak an API of the registry: where they are, and whose keys are whose.

A row only saves typing. Its address and the variable of its key are those the company gives out; what is special about
its API stands in `openai_hosts`, rule by rule. `untested` marks every row whose API nobody tried this program with, by
a recorded answer or a server that copies its rules: such a row says so wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from conch_desktop.providers.registry import KINDS


@dataclass(frozen=True, slots=True)
class Company:
    """A row. `kind` is one of the registry's; `url` its address, "" for that of the kind.

    `own` is the row of a server nobody knows, whose address a person enters. `key_env` is the variable in which people
    usually keep its key. `prefixes` begin its keys and nobody else's. `port` is where a server on this computer listens
    unless it was told otherwise, 0 for a company.
    """

    name: str
    title: str
    kind: str = "openai"
    url: str = ""
    key_env: str = ""
    prefixes: tuple[str, ...] = ()
    port: int = 0
    untested: bool = True
    own: bool = False

    @property
    def address(self) -> str:
        """Its address; "" when a person has to enter one."""
        return "" if self.own else self.url or KINDS[self.kind].url

    @property
    def needs_key(self) -> bool:
        """Does it ask for a key?"""
        return not (self.port or self.own) and KINDS[self.kind].needs_key


def _of_kind(name: str, *prefixes: str, port: int = 0, title: str = "") -> Company:
    """A row of the registry itself: tried against strict copies of its API, and against recorded streams."""
    kind = KINDS[name]
    return Company(name, title or kind.title, name, "", kind.key_env, prefixes, port, untested=False)


def _server(name: str, title: str, port: int, *, untested: bool = True) -> Company:
    return Company(name, title, url=f"http://127.0.0.1:{port}/v1", port=port, untested=untested)


_ROWS = (
    _of_kind("openrouter", "sk-or-"),
    _of_kind("openai", "sk-proj-", "sk-svcacct-", "sk-admin-", title="OpenAI"),
    _of_kind("anthropic", "sk-ant-"),
    _of_kind("gemini", "AIza"),
    _of_kind("gemini-native"),
    _of_kind("conol"),
    _of_kind("conol-gateway"),
    Company("own", "A server of your own", untested=False, own=True),
    _of_kind("ollama", port=11434),
    _server("llama.cpp", "llama.cpp", 8080, untested=False),  # recorded answers of two builds
    _server("lm-studio", "LM Studio", 1234),
    _server("vllm", "vLLM", 8000),
    Company("mistral", "Mistral", url="https://api.mistral.ai/v1", key_env="MISTRAL_API_KEY"),
    Company("deepseek", "DeepSeek", url="https://api.deepseek.com/v1", key_env="DEEPSEEK_API_KEY"),
    Company("groq", "Groq", url="https://api.groq.com/openai/v1", key_env="GROQ_API_KEY", prefixes=("gsk_",)),
    Company("xai", "xAI", url="https://api.x.ai/v1", key_env="XAI_API_KEY", prefixes=("xai-",)),
    Company("cerebras", "Cerebras", url="https://api.cerebras.ai/v1", key_env="CEREBRAS_API_KEY", prefixes=("csk-",)),
    Company("together", "Together", url="https://api.together.xyz/v1", key_env="TOGETHER_API_KEY"),
    Company(
        "fireworks",
        "Fireworks",
        url="https://api.fireworks.ai/inference/v1",
        key_env="FIREWORKS_API_KEY",
        prefixes=("fw_",),
    ),
    Company("moonshot", "Moonshot (Kimi)", url="https://api.moonshot.ai/v1", key_env="MOONSHOT_API_KEY"),
    Company(
        "nvidia",
        "NVIDIA NIM",
        url="https://integrate.api.nvidia.com/v1",
        key_env="NVIDIA_API_KEY",
        prefixes=("nvapi-",),
    ),
    Company("cohere", "Cohere", url="https://api.cohere.com/compatibility/v1", key_env="COHERE_API_KEY"),
)

COMPANIES: Mapping[str, Company] = {row.name: row for row in _ROWS if KINDS[row.kind].wire}
"""The rows of kinds somebody speaks, by name."""

_SHARED = "sk-"
"""How keys of several companies begin."""


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """Whose key it is: a company's name, or why nobody can tell in `doubt`. Both are "" for a key nobody knows."""

    company: str = ""
    doubt: str = ""


def owner_of_key(key: str) -> KeyOwner:
    """Whose key this is, told by its beginning alone; it is sent to nobody to find out."""
    key = key.strip()
    for row in COMPANIES.values():
        if key.startswith(row.prefixes) and row.prefixes:
            return KeyOwner(row.name)
    if key.startswith(_SHARED):
        return KeyOwner("", "Keys of several companies begin so. Choose whose it is.")
    return KeyOwner()


def company_at(url: str) -> Company | None:
    """The company whose server is at an address; None for any other server."""
    try:
        host = urlsplit(url if "://" in url else f"https://{url}").hostname or ""
    except ValueError:
        return None
    hosts = {urlsplit(row.address).hostname: row for row in reversed(list(COMPANIES.values())) if not row.port}
    return hosts.get(host.lower()) if host else None
