"""Figure: converting the schemas of many real servers' tools to Gemini's dialect, the one with most to do.

They are made up, of the sizes and constructs that servers send; with CONCH_SCHEMAS naming a file of JSON lines that
each have a `schema`, those are measured too.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.schemas import dialects
from tests.benchmarks.conftest import figure
from tests.schemas.schemas import made_up

COUNT = 2_214
MOST_SECONDS = 0.5
MOST_MS = 50.0
RUNS = 5


@pytest.mark.figures
def test_two_thousand_schemas_take_half_a_second_at_most() -> None:
    _measure("made up", made_up(COUNT))


@pytest.mark.figures
def test_the_schemas_of_a_file_take_half_a_second_at_most() -> None:
    path = os.environ.get("CONCH_SCHEMAS", "")
    if not path:
        pytest.skip("CONCH_SCHEMAS names no file")
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    _measure(Path(path).name, [json.loads(line)["schema"] for line in lines][:COUNT])


def _measure(what: str, schemas: list[Any]) -> None:
    totals, slowest = [], []
    for _ in range(RUNS):
        dialects._kept.clear()
        gc.collect()
        each = []
        for schema in schemas:
            begun = time.process_time()
            dialects.convert("gemini", "tool", schema)
            each.append(time.process_time() - begun)
        totals.append(sum(each))
        slowest.append(max(each) * 1000)
    total, worst = statistics.median(totals), statistics.median(slowest)
    figure(f"{what}: {len(schemas)} schemas to gemini in {total:.2f} s of CPU, the slowest {worst:.1f} ms")
    assert total <= MOST_SECONDS
    assert worst <= MOST_MS
