"""What was spent, from what is kept with each answer."""

from __future__ import annotations

import sqlite3

from conch_desktop.domain.clock import Clock
from conch_desktop.store.database import Database

DAY = 86_400.0


class Spending:
    """Sums of what answers cost, in US dollars. What is not known counts as nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

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
                (since, without),
            ).fetchone()
            return float(spent)

        return await self._database.run(work)
