"""What the pictures are about: a harbour, its chats, its models and the calls they made."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.messages import Message, Part, ReasoningPart, TextPart, UsageCount
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.way import ALL
from conch_desktop.providers.registry import base_url
from conch_desktop.store.settings import FAVOURITES, RECENT, SEEN_MODES
from conch_desktop.tools.toolbox import Toolbox
from tests.servers import ScriptedServer, json_reply

DAY = 86_400.0

ROUTE = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "to": {"type": "string"},
        "legs": {"type": "integer"},
        "mode": {"enum": ["walk", "tram", "ferry"]},
        "via": {"type": "array", "items": {"type": "string"}},
        "fast": {"type": "boolean"},
    },
    "required": ["from", "to"],
    "additionalProperties": False,
}
ROUTE_SENT = (
    "{from: 'Quay 4', to: 'Mill Lane', legs: \"3\", mode: 'Ferry', via: \"Old Bridge\", fast: \"true\", "
    "colour: 'blue',}"
)
BERTH = {
    "type": "object",
    "properties": {
        "harbour": {"type": "string"},
        "length_m": {"type": "number"},
        "side": {"enum": ["port", "starboard"]},
    },
    "required": ["harbour", "length_m"],
}
PLAN = """## Saturday, 14 June

The early boat is calmer: **07:40** out, the last one back. Swell stays under `0.6 m` until noon.

| Boat | From | Arrives | Swell | Fare for five |
|---|---|---|---|--:|
| 07:40 | Quay 4 | 08:25 | calm | 62.50 |
| 18:10 | Skerry pier | 18:55 | moderate | 62.50 |

### What it costs each

$$c = \\frac{2 \\cdot 62.50 + 48}{5} = 34.60$$

```python
def share(fares: list[float], picnic: float, people: int) -> float:
    return round((sum(fares) + picnic) / people, 2)
share([62.50, 62.50], picnic=48, people=5)   # 34.6
```

- Ana sits outside, at the stern, facing forward.
- Tickets are sold on board; `Quay 4` opens at 07:15."""


class MovedClock(SystemClock):
    """The computer's clock, a while ago."""

    ago = 0.0

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time() - self.ago


@dataclass
class World:
    """The program with everything in it. `chats` are ids by title, `models` ids by what people call them."""

    program: Program
    server: ScriptedServer
    clock: MovedClock
    chats: dict[str, str]
    models: dict[str, str]


async def _run(args: Mapping[str, Any], context: ToolContext) -> ToolAnswer:
    """Runs until it is stopped: every answer that is shown was written down."""
    assert context.stop is not None
    await context.stop.wait()
    return answer("")


async def _diff(args: Mapping[str, Any], context: ToolContext) -> str:
    """What the made-up write would change."""
    rows = [
        "## Boats",
        "-09:10 from Quay 2",
        "-Back at 17:00",
        "+07:40 from Quay 4, calm water",
        "+Back at 18:10, last boat",
    ]
    rows += ["", "+## Who sits where", "+Ana outside, at the stern", "+Everyone else as they like", "## Food"]
    lines = [row if row[:1] in ("-", "+") else f" {row}" for row in rows]
    return "\n".join(["notes/skerry-saturday.md, line 3:", *lines])


def _tool(name: str, group: str, words: str, effect: Any, schema: Mapping[str, Any] | None = None) -> Tool:
    shape = schema or {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
    source = "builtin" if group in ("memory", "files", "browser") else group
    preview = _diff if name == "write_file" else None
    title = "change {path}" if preview else ""
    own = group if source == "builtin" else ""
    return Tool(name, words, shape, effect, _run, source, own, preview=preview, title=title)


TOOLS = (
    _tool("read_page", "browser", "Opens a page and reads its text", "outside"),
    _tool("read_file", "files", "Reads a file from a folder you granted", "read"),
    _tool("list_files", "files", "Lists a folder you granted", "read"),
    _tool("write_file", "files", "Writes a file in a folder you granted", "write"),
    _tool("plan_route", "harbour-weather", "Plans a way across the harbour", "read", ROUTE),
    _tool("forecast", "harbour-weather", "Wind and swell of a place", "read"),
    _tool("read_log", "harbour-weather", "Reads the tide gauge's log", "read"),
    _tool("find_berth", "harbour", "Finds a free berth", "read", BERTH),
    _tool("reserve_berth", "berth-book", "Books a berth for a night", "outside"),
)


def call(name: str, raw: str, said: str = "", **more: Any) -> CallRecord:
    """A call that was read as the program reads it, and answered with `said`."""
    tool = next((one for one in TOOLS if one.name == name), None)
    source = more.pop("source", tool.source if tool else "builtin")
    read = read_call(raw, tool, finish="stop") if tool is not None else None
    made = CallRecord(f"call-{name}-{len(raw)}", name, raw, source=source, started=time.time() - 60)
    if read is not None and read.ok:
        notes = "".join(f"\n\n[{note}]" for note in read.notes)
        made = replace(
            made, args=read.args, mends=read.mends, dropped=read.dropped, state="done", answer=said,
            sent_back=said + notes,
        )  # fmt: skip
    elif read is not None:
        made = replace(made, state="not_run", is_error=True, sent_back=read.error, started=None)
    return replace(made, **more)


async def build(program: Program, server: ScriptedServer, clock: MovedClock, *, blank: bool) -> World:
    """Fills an empty profile, unless it is to stay `blank`."""
    if blank:
        return World(program, server, clock, {}, {})
    shown = {tool.name for tool in TOOLS}
    own = [tool for tool in program.toolbox.tools if tool.name not in shown]
    program.toolbox = Toolbox((*own, *TOOLS))
    program.named_groups = ("files",)  # its tools are made up, and need no folder
    names = [
        ("gemini", "Gemini", "gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576),
        ("ollama", "Ollama", "llama3.2:3b", "Llama 3.2 3B", 8_192),
        ("openrouter", "OpenRouter", "mistral-small-3.2", "Mistral Small 3.2", 131_072),
    ]
    many = [f"{maker}-{size}b" for maker in ("deepseek", "glm", "hermes", "pixtral", "qwen") for size in (4, 8, 14, 70)]
    models: dict[str, str] = {}
    for _, provider, model, label, window in names:
        listed = [
            _listed(model, label, window, (0.3, 2.5) if provider == "Gemini" else None, sees=provider != "Ollama")
        ]
        if provider == "OpenRouter":
            listed[0].update(_priced(0.1, 0.3))
            listed += [_listed(one, one, 131_072, (0.2 + at / 20, 0.8 + at / 10)) for at, one in enumerate(many)]
        if provider == "Ollama":
            listed += [_listed(one, one, size) for one, size in (("Qwen3 14B", 40_960), ("Phi 4 mini", 131_072))]
        server.route(f"GET /{provider}/v1/models", json_reply({"data": listed}))
        made, _ = await program.add_provider("openai", provider, f"{server.url}/{provider}/v1", "")
        models[label] = f"{made.id}/{model}"
        await _teach(program, made.id, base_url(made), model, provider)
    await program.models(refresh=True)
    mistral, gemini, llama = (models[one] for one in ("Mistral Small 3.2", "Gemini 2.5 Flash", "Llama 3.2 3B"))
    await program.settings.set(FAVOURITES, [gemini])
    await program.settings.set(RECENT, [llama, mistral, gemini])
    await program.settings.set(SEEN_MODES, {mistral: "native"})
    world = World(program, server, clock, {}, models)
    await _chats(world)
    return world


def _listed(
    name: str, label: str, window: int, price: tuple[float, float] | None = None, *, sees: bool = False
) -> dict[str, Any]:
    """A model as a provider lists it; the price is in dollars for a million tokens."""
    entry: dict[str, Any] = {"id": name, "name": label, "context_length": window}
    if sees:
        entry["architecture"] = {"input_modalities": ["text", "image"]}
    return {**entry, **(_priced(*price) if price else {})}


def _priced(into: float, out: float) -> dict[str, Any]:
    return {"pricing": {"prompt": f"{into / 1e6:.9f}", "completion": f"{out / 1e6:.9f}"}}


async def _teach(program: Program, provider: str, url: str, model: str, name: str) -> None:
    now = time.time()
    if name == "Gemini":
        await program.lessons.learn(
            Lesson(provider, url, model, "strict", ALL, "Unknown name", learnt=now - 180 * DAY, held=41)
        )
    elif name == "Ollama":
        words = "registry.ollama.ai/library/llama3.2:3b does not support tools"
        await program.lessons.learn(
            Lesson(provider, url, model, "words", "tools", words, learnt=now - 19 * DAY, held=23)
        )
        await program.lessons.learn(Lesson(provider, url, model, "window", "8192", "num_ctx 8192", learnt=now - DAY))


LONG_TITLE = "Everything about the timetable of the northern line, its boats, its piers and what changed this autumn"

_TITLES = (
    ("Harbour notes", 0.0, True, "plan_route"),
    ("Ferry fares, September", 9.0, True, ""),
    ("Saturday on Skerry Island", 0.0, False, "plan"),
    ("Rewrite the berth rules", 0.01, False, "berth"),
    ("What did the tide gauge log on Sunday?", 0.02, False, ""),
    ("Names for the new dinghy", 1.0, False, ""),
    ("Fix the fares script", 1.01, False, ""),
    ("Letter to the harbour board", 1.02, False, ""),
    ("Wind and swell, explained", 5.0, False, "long"),
    ("Translate the mooring form", 5.1, False, ""),
    ("Compare three small models", 5.2, False, "words"),
    ("Rope lengths for a 9 m hull", 5.3, False, ""),
    ("Check the mooring lines", 40.0, False, ""),
    ("Many calls", 41.0, False, "many"),
    ("One huge table", 41.1, False, "table"),
    ("Much code", 41.2, False, "code"),
    ("من اليمين إلى اليسار", 41.3, False, "right"),
    (LONG_TITLE, 41.4, False, ""),
)


async def _chats(world: World) -> None:
    program = world.program
    for title, days, pinned, kind in reversed(_TITLES):
        world.clock.ago = days * DAY + 60
        model = world.models["Llama 3.2 3B" if kind in ("berth", "words") else "Gemini 2.5 Flash"]
        chat = await program.chats.create(model=model, title=title)
        world.chats[title] = chat.id
        for message in _messages(kind, model, title, world.clock.now()):
            await program.chats.put(chat.id, message)
        if pinned:
            await program.chats.pin(chat.id, True)
    world.clock.ago = 0.0


def _messages(kind: str, model: str, title: str, at: float) -> list[Message]:
    words = "Llama 3.2 3B" if kind in ("berth", "words") else "Gemini 2.5 Flash"
    mode = "words" if kind in ("berth", "words") else "strict"

    def asked(text: str, number: int = 0) -> Message:
        return Message(f"{title}-u{number}", "user", (TextPart(text),), at)

    def said(*parts: Part, number: int = 0, **more: Any) -> Message:
        usage = UsageCount(2_540 if mode == "words" else 94_000, 120)
        made = Message(f"{title}-a{number}", "assistant", parts, at, model=model, author=words, mode=mode, usage=usage)
        return replace(made, why="as this model taught", **more)

    if kind == "plan_route":
        route = "ferry 07:40 Quay 4 > Old Bridge\ntram 08:31 Old Bridge > Mill Lane, arrives 08:52"
        return [
            asked("How do I get from Quay 4 to Mill Lane the quick way?"),
            said(
                call("plan_route", ROUTE_SENT, route, ms=400),
                TextPart(
                    "Take the **07:40 ferry** from Quay 4, leave it at Old Bridge, and change to the tram. You reach "
                    "Mill Lane at **08:52**.\n\nThe walk between the landing stage and the tram stop is four minutes; "
                    "the tram waits if the ferry is late."
                ),
            ),
        ]
    if kind == "plan":
        return [
            asked("Plan Saturday on Skerry Island for the five of us, and remember that Ana gets seasick."),
            said(
                ReasoningPart("Five people, two crossings. The early boat has less swell."),
                call("list_files", '{"path":"notes"}', "skerry-saturday.md", ms=31),
                call("forecast", '{"path":"Skerry sound"}', "calm until noon", ms=400),
                TextPart(PLAN),
            ),
        ]  # fmt: skip
    if kind == "berth":
        return [
            asked("Is there a berth for ten metres in the North harbour?"),
            said(
                TextPart("Let me look."),
                call("find_berth", '{"length_m":"ten","side":"left"}'),
                call("find_berth", '{"harbour":"North","length_m":10}', "Berth 14, Berth 15", ms=100),
                TextPart(
                    "Yes. **Berth 14** on the east side is free until Tuesday and takes boats up to 11 m. Berth 15 is "
                    "free as well, but only for tonight."
                ),
            ),
        ]
    if kind == "words":
        fact = call("remember", '{"content":"takes the 07:40 ferry"}', "Remembered.", ms=100)
        return [
            asked("Please remember that I take the 07:40 ferry."),
            said(
                replace(fact, args={"content": "takes the 07:40 ferry"}, state="done", answer="Remembered."),
                TextPart("Noted: you take the **07:40** ferry. I will use it when you ask about mornings."),
            ),
        ]
    if kind == "many":
        made = [
            replace(call("find_berth", f'{{"harbour":"North {at}","length_m":{at}}}', "none", ms=80 + at), id=f"m{at}")
            for at in range(100)
        ]
        return [asked("Look for a berth in every harbour."), said(*made, TextPart("There is none."))]
    if kind == "table":
        rows = "\n".join(
            f"| {at} | Quay {at % 9} | {'calm, ' * (at % 5)}then rising | {at * 1.5:.2f} |" for at in range(900)
        )
        return [
            asked("All of it, as a table."),
            said(TextPart(f"| No | From | Swell | Fare |\n|--:|---|---|--:|\n{rows}")),
        ]
    if kind == "code":
        code = "\n".join(
            f"fares[{at}] = share([{at}.50, 62.50], picnic=48, people=5)  # line {at}" for at in range(400)
        )
        return [asked("Write it out."), said(TextPart(f"Here it is:\n\n```python\n{code}\n```"))]
    if kind == "right":
        arabic = "تغادر العبّارة في الساعة **07:40** من رصيف `Quay 4`.\n\n- اجلس في الخلف.\n- التذاكر على متن القارب."
        return [asked("متى تغادر العبّارة يوم السبت؟"), said(TextPart(arabic))]
    if kind == "long":
        return [
            one
            for number in range(60)
            for one in (asked(f"And the swell at {number:02}:00?", number), said(TextPart(PLAN), number=number))
        ]
    text = f"The boats used to lie under the Old Bridge. {title}."
    return [asked(f"{title}: what do you know?"), said(TextPart(text))]


def titles() -> Sequence[str]:
    """The chats there are."""
    return [title for title, *_ in _TITLES]
