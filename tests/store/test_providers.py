"""Providers and their model lists are kept; what goes with a provider goes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.models import Model, Provider
from conch_desktop.store.database import Database
from conch_desktop.store.lessons import Lessons
from conch_desktop.store.providers import Providers
from tests.store.conftest import StillClock, count

PIER = Provider("p1", "openai", "Pier half \ud83d", "http://127.0.0.1:1234/v1", "PIER_KEY")
QUAY = Provider(
    "p2",
    "ollama",
    "Quay",
    proxy="http://…@10.0.0.1:3128",
    ca_file="/etc/quay.pem",
    headers=(("X-Title", "Quay \ud83d"), ("X-Berth", "4")),
    secret_headers=("X-Quay-Token",),
)

MODELS = [
    Model("p1", "big", "Big", 128_000, True, False, "slow", 0.25, 10.0),
    Model("p1", "a\ud83d"),
    Model("p1", "blind", tools=False, pictures=True),
    Model("p1", "big", "listed twice"),
    Model("p1", "free", price_in=0.0, price_out=0.0),
]


@pytest.fixture
def providers(database: Database, clock: StillClock) -> Providers:
    return Providers(database)


async def test_providers_are_given_in_the_order_they_were_added(providers: Providers) -> None:
    await providers.add(QUAY)
    await providers.add(PIER)
    assert await providers.all() == [QUAY, PIER]


async def test_a_changed_provider_keeps_its_place(providers: Providers) -> None:
    await providers.add(PIER)
    await providers.add(QUAY)
    changed = Provider("p1", "openrouter", "Jetty", "https://example.org", "JETTY_KEY", "http://10.0.0.1", "a.pem")
    await providers.update(changed)
    assert await providers.all() == [changed, QUAY]


async def test_a_provider_that_is_gone_cannot_be_changed(providers: Providers) -> None:
    with pytest.raises(StoreError, match="no longer there"):
        await providers.update(PIER)
    assert await providers.all() == []


async def test_two_providers_cannot_have_one_id(providers: Providers) -> None:
    await providers.add(PIER)
    with pytest.raises(StoreError):
        await providers.add(replace(QUAY, id="p1"))
    assert await providers.all() == [PIER]


@pytest.mark.parametrize("models", [MODELS, MODELS[:1], []], ids=len)
async def test_a_model_list_comes_back_as_it_was_read(providers: Providers, models: list[Model]) -> None:
    await providers.save_models("p1", MODELS[::-1], 1.0)
    await providers.save_models("p1", models, 2.0)
    assert await providers.saved_models("p1") == models
    assert await providers.models_saved_at("p1") == 2.0


async def test_a_provider_without_a_list_has_no_models(providers: Providers) -> None:
    assert await providers.saved_models("p1") == []
    assert await providers.models_saved_at("p1") is None


async def test_the_model_on_this_computer_has_a_list_without_being_added(providers: Providers) -> None:
    model = Model("local", "small", "Small", 8192)
    await providers.save_models("local", (model,), 1.0)
    assert await providers.saved_models("local") == [model]


async def test_lists_and_lessons_go_with_their_provider(
    providers: Providers, database: Database, clock: StillClock
) -> None:
    lessons = Lessons(database, clock)
    kept = Lesson("p2", "e", "m", "mode", "words")
    for provider in (PIER, QUAY):
        await providers.add(provider)
        await providers.save_models(provider.id, [Model(provider.id, "big")], 1.0)
        await lessons.learn(replace(kept, provider=provider.id))
    await providers.remove("p1")
    await providers.remove("not there")
    assert await providers.all() == [QUAY]
    assert await lessons.all() == [kept]
    assert await providers.saved_models("p1") == []
    assert await providers.saved_models("p2") == [Model("p2", "big")]
    assert await count(database, "models") == await count(database, "model_lists") == 1
