"""What a turn takes is counted over all its requests, and limits pause it until the person lets it go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conch_desktop.domain.events import Done, Usage
from conch_desktop.domain.messages import NoticePart, UsageCount
from conch_desktop.domain.models import Model
from conch_desktop.domain.money import dollars
from conch_desktop.domain.options import ChatOptions
from conch_desktop.engine.spending import Budget, Tally
from conch_desktop.store.settings import DAY_LIMIT
from tests.engine.conftest import Talk
from tests.servers import Reply, call_piece, chunk, json_reply, sse

PRICED = Model("p", "m", price_in=1.0, price_out=10.0)
DEAR = {"id": "demo", "pricing": {"prompt": "0.001", "completion": "0.001"}}


def test_a_turn_is_the_sum_of_its_requests() -> None:
    tally = Tally(UsageCount(turn_in=5, turn_out=5, cost=1.0), PRICED)
    tally.settle()
    tally.take(Usage(100, 1))
    twice = tally.take(Usage(200, 20, 7, 8))
    assert replace(twice, cost=None) == UsageCount(200, 20, 7, 8, 205, 25)
    assert twice.cost == pytest.approx(1.0004)
    tally.settle()
    thrice = tally.take(Usage(1000, None))
    assert replace(thrice, cost=None) == UsageCount(1000, None, None, None, 1205, 25)
    assert thrice.cost == pytest.approx(1.0014)


def test_what_the_provider_says_it_cost_comes_before_its_list_of_prices() -> None:
    assert Tally(None, PRICED).take(Usage(1_000_000, 0, 900_000, cost=0.19)).cost == 0.19
    assert Tally(None, PRICED).take(Usage(1_000_000, 0, cost=0.0)).cost == 0.0
    assert Tally(UsageCount(cost=0.5), None).take(Usage(3, cost=0.25)).cost == 0.75


@pytest.mark.parametrize("model", [None, Model("p", "m"), replace(PRICED, price_out=None)])
def test_without_prices_there_is_no_cost(model: Model | None) -> None:
    assert Tally(None, model).take(Usage(100, 1)).cost is None


@pytest.mark.parametrize(
    ("budget", "cost", "over"),
    [
        (Budget(), 5.0, ""),
        (Budget(1.0, 0.5), None, ""),
        (Budget(1.0, 0.5), 0.4, ""),
        (Budget(1.0, 0.5), 0.6, "$1.10 spent in this chat, the limit is $1.00. The turn is paused."),
        (Budget(0.0, 9.0, 1.0, 1.0), None, "$1.00 spent in 24 hours, the limit is $1.00. The turn is paused."),
        (Budget(1.0, 5.0, allowed=0.25), 0.5, ""),
        (Budget(1.0, 5.0, allowed=0.25), 1.25, "$6.25 spent in this chat, the limit is $1.00. The turn is paused."),
    ],
)
def test_a_limit_is_reached_when_as_much_was_spent(budget: Budget, cost: float | None, over: str) -> None:
    assert budget.over(UsageCount(cost=cost)) == over


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "$0.00"),
        (0.00001, "under $0.0001"),
        (0.0018, "$0.0018"),
        (0.023, "$0.023"),
        (0.5, "$0.50"),
        (1234.5, "$1,234.50"),
    ],
)
def test_an_amount_is_never_nothing_when_it_was_something(amount: float, words: str) -> None:
    assert dollars(amount) == words


def answered(pieces: Sequence[object], tokens: int, finish: str) -> Reply:
    usage = {"prompt_tokens": tokens, "completion_tokens": tokens}
    return sse(*pieces, chunk(finish=finish), chunk(usage=usage))


def calling(number: int) -> Reply:
    piece = call_piece("recall", f'{{"about": "ferry {number}"}}', call_id=f"call_{number}")
    return answered([chunk(calls=[piece])], 500, "tool_calls")


async def priced(talk: Talk) -> None:
    """From now on the list tells a dollar for a thousand tokens."""
    talk.server.route("GET /v1/models", json_reply({"data": [DEAR]}))
    await talk.program.models(refresh=True)


async def test_a_limit_of_the_chat_pauses_the_turn_and_go_on_allows_as_much_again(talk: Talk) -> None:
    await priced(talk)
    await talk.program.options.set(talk.session.chat_id, ChatOptions(spend_limit=1.5))
    talk.server.then(*(calling(number) for number in range(5)), answered([chunk("07:40.")], 500, "stop"))
    await talk.session.send("When does it leave?")
    assert len(talk.chats) == 2  # a dollar each
    assert talk.last.state == "done"
    assert talk.of(Done)[-1].finish == "paused"
    assert isinstance(talk.last.parts[-1], NoticePart)
    assert talk.last.parts[-1].text == "$2.00 spent in this chat, the limit is $1.50. The turn is paused."
    await talk.session.go_on()
    assert len(talk.chats) == 4
    await talk.session.go_on()
    assert len(talk.chats) == 6
    assert talk.last.text == "07:40."
    usage = (await talk.stored()).usage
    assert usage is not None
    assert (usage.input_tokens, usage.turn_in, usage.turn_out) == (500, 3000, 3000)
    assert usage.cost == pytest.approx(6.0)


async def test_a_new_message_beyond_the_limit_is_asked_about_before_it_costs(talk: Talk) -> None:
    await priced(talk)
    await talk.program.settings.set(DAY_LIMIT, 1.0)
    talk.server.then(answered([chunk("Yes.")], 500, "stop"), answered([chunk("No.")], 500, "stop"))
    await talk.session.send("Is it late?")
    await talk.session.send("Is it early?")
    assert len(talk.chats) == 1
    assert talk.last.text == ""
    await talk.session.go_on()
    assert len(talk.chats) == 2
    assert talk.last.text == "No."
    assert talk.chats[-1].json["messages"][-1] == {"role": "user", "content": "Is it early?"}


async def test_what_was_set_for_a_chat_goes_with_its_requests_only(talk: Talk) -> None:
    options = ChatOptions("Answer in Italian.", 0.25, 321, "high")
    await talk.program.options.set(talk.session.chat_id, options)
    other = talk.program.session((await talk.program.chats.create(model="pier/demo")).id)
    await other.load()
    talk.server.then(*(answered([chunk("Si.")], 5, "stop") for _ in range(2)))
    await talk.session.send("Late?")
    await other.send("Late?")
    first, second = (one.json for one in talk.chats)
    assert (first["temperature"], first["max_tokens"], first["reasoning_effort"]) == (0.25, 321, "high")
    assert "Answer in Italian." in first["messages"][0]["content"]
    assert not {"temperature", "max_tokens", "reasoning_effort"} & second.keys()
    assert "Italian" not in second["messages"][0]["content"]


async def test_a_level_of_thinking_the_model_does_not_take_becomes_the_nearest(talk: Talk) -> None:
    await talk.program.options.set(talk.session.chat_id, ChatOptions(effort="xhigh"))
    words = "Invalid value: 'xhigh'. Supported values are: 'low', 'medium', and 'high'."
    fault = {"error": {"message": words, "type": "invalid_request_error", "param": "reasoning_effort"}}
    talk.server.then(json_reply(fault, 400), answered([chunk("Yes.")], 5, "stop"))
    await talk.session.send("Late?")
    assert [one.json.get("reasoning_effort") for one in talk.chats] == ["xhigh", "high"]
    assert talk.last.text == "Yes."


async def test_a_list_that_fails_leaves_the_last_one_and_tells_its_age(talk: Talk) -> None:
    good = await talk.program.models(refresh=True)
    talk.server.route("GET /v1/models", json_reply({"error": "no"}, 503))
    late = await talk.program.models(refresh=True)
    assert [model.id for model in late.models] == [model.id for model in good.models]
    assert "pier" in late.failures
    assert late.read_at["pier"] == good.read_at["pier"]
    assert abs(late.read_at["pier"] - talk.program.clock.now()) < 60
