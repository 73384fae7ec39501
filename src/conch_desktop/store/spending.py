"""What was spent, from what is kept with each answer."""

from __future__ import annotations

import sqlite3

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.messages import UsageCount
from conch_desktop.store.columns import to_column
from conch_desktop.store.database import Database

DAY = 86_400.0


class Spending:
    """Sums of what answers cost, in US dollars. What is not known counts as nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of_chat(self, chat: str, *, without: str = "") -> UsageCount:
        """What all answers of a chat took; the one with the id `without` is left out.

        `cost` is that of the answers whose price is known, None when none is. Answers from before all requests of a
        turn were counted tell only the last one.
        """

        def work(connection: sqlite3.Connection) -> UsageCount:
            sent, made, cost = connection.execute(
                f"""
                SELECT total(coalesce(nullif({_of("turn_in")}, 0), {_of("input_tokens")})),
                    total(coalesce(nullif({_of("turn_out")}, 0), {_of("output_tokens")})),
                    sum({_of("cost")})
                FROM messages JOIN chats ON chats.number = messages.chat
                WHERE chats.id = ? AND usage IS NOT NULL AND messages.id <> ?
                """,
                (to_column(chat), to_column(without)),
            ).fetchone()
            return UsageCount(turn_in=int(sent), turn_out=int(made), cost=cost)

        return await self._database.run(work)

    async def of_day(self, *, without: str = "") -> float:
        """What all chats spent in the last 24 hours, those among them that were deleted since the start too.

        The answer with the id `without` is left out.
        """
        since = self._clock.now() - DAY

        def work(connection: sqlite3.Connection) -> float:
            (spent,) = connection.execute(
                """
                SELECT total(json_extract(usage, '$.cost')) FROM messages
                WHERE created >= ? AND usage IS NOT NULL AND id <> ?
                """,
                (since, to_column(without)),
            ).fetchone()
            return float(spent)

        return await self._database.run(work)


def _of(field: str) -> str:
    """A field of the usage that is kept with an answer."""
    return f"json_extract(usage, '$.{field}')"
