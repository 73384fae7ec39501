"""The migrations, numbered from 1: each takes the database from the version before it to its own.

A migration that was released is never changed; a new one is added at the end, with its row in the tests.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeAlias

APPLICATION_ID = 0x436F6E63
"""“Conc” in the file's header: how a database of this program is told from any other."""

Migration: TypeAlias = Callable[[sqlite3.Connection], None]
"""Runs inside a transaction, with foreign keys checked at its end. It must not use `executescript`, which commits."""

_CHATS = (
    # `deleted` is when the person deleted the chat; it can be brought back until the next start.
    """
    CREATE TABLE chats (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        model TEXT NOT NULL,
        pinned INTEGER NOT NULL,
        created REAL NOT NULL,
        updated REAL NOT NULL,
        draft TEXT NOT NULL,
        deleted REAL
    )
    """,
    # `number` is also the order in the chat. `usage` and `failure` are JSON.
    """
    CREATE TABLE messages (
        number INTEGER PRIMARY KEY,
        chat INTEGER NOT NULL REFERENCES chats ON DELETE CASCADE,
        id TEXT NOT NULL,
        role TEXT NOT NULL,
        created REAL NOT NULL,
        state TEXT NOT NULL,
        asked TEXT NOT NULL,
        model TEXT NOT NULL,
        author TEXT NOT NULL,
        mode TEXT NOT NULL,
        why TEXT NOT NULL,
        usage TEXT,
        failure TEXT,
        UNIQUE (chat, id)
    )
    """,
    "CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming'",
    # `length` is that of the growing text in characters: `text`, or `raw` of a call. It stands before the text, so
    # that reading it does not read the text.
    """
    CREATE TABLE parts (
        number INTEGER PRIMARY KEY,
        message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        length INTEGER NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (message, position)
    )
    """,
    # `args`, `mends` and `dropped` are JSON.
    """
    CREATE TABLE calls (
        part INTEGER PRIMARY KEY REFERENCES parts ON DELETE CASCADE,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        is_error INTEGER NOT NULL,
        started REAL,
        ms INTEGER,
        why TEXT NOT NULL,
        args TEXT,
        mends TEXT NOT NULL,
        dropped TEXT NOT NULL,
        answer TEXT NOT NULL,
        sent_back TEXT NOT NULL,
        extra TEXT NOT NULL,
        wire_id TEXT NOT NULL,
        raw TEXT NOT NULL
    )
    """,
    # What was added to a part's text while it streamed; joined to it when the message ends. `upto` is the length of
    # the whole text with this piece.
    """
    CREATE TABLE tails (
        number INTEGER PRIMARY KEY,
        part INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
        upto INTEGER NOT NULL,
        text TEXT NOT NULL
    )
    """,
    "CREATE INDEX tails_part ON tails (part)",
)

_SEARCH = (
    # A row has the number of its chat, message or memory. The rows are written by `search`, because the texts are
    # prepared there; they go with what they are about.
    "CREATE VIRTUAL TABLE chat_words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
    "CREATE VIRTUAL TABLE message_words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
    "CREATE VIRTUAL TABLE memory_words USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')",
    """
    CREATE TRIGGER chat_gone AFTER DELETE ON chats
    BEGIN DELETE FROM chat_words WHERE rowid = old.number; END
    """,
    """
    CREATE TRIGGER message_gone AFTER DELETE ON messages
    BEGIN DELETE FROM message_words WHERE rowid = old.number; END
    """,
    """
    CREATE TRIGGER memory_gone AFTER DELETE ON memories
    BEGIN DELETE FROM memory_words WHERE rowid = old.id; END
    """,
)

_THE_REST = (
    # The id of a memory that was removed never comes back: what was said about it in a chat stays true.
    """
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content TEXT NOT NULL,
        created REAL NOT NULL,
        source TEXT NOT NULL
    )
    """,
    # Lessons and lists also belong to the provider “This computer”, which has no row in `providers`: no references.
    """
    CREATE TABLE lessons (
        provider TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        model TEXT NOT NULL,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        words TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        digest TEXT NOT NULL,
        learnt REAL NOT NULL,
        expires REAL,
        held INTEGER NOT NULL,
        PRIMARY KEY (provider, endpoint, model, kind)
    )
    """,
    """
    CREATE TABLE permissions (
        source TEXT NOT NULL,
        tool TEXT NOT NULL,
        digest TEXT NOT NULL,
        allowed REAL NOT NULL,
        PRIMARY KEY (source, tool)
    )
    """,
    """
    CREATE TABLE providers (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        url TEXT NOT NULL,
        key_env TEXT NOT NULL
    )
    """,
    "CREATE TABLE model_lists (provider TEXT PRIMARY KEY, saved REAL NOT NULL)",
    """
    CREATE TABLE models (
        provider TEXT NOT NULL REFERENCES model_lists ON DELETE CASCADE,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        label TEXT NOT NULL,
        window INTEGER,
        tools INTEGER,
        pictures INTEGER,
        note TEXT NOT NULL,
        PRIMARY KEY (provider, position)
    )
    """,
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)


def _first(connection: sqlite3.Connection) -> None:
    """1: chats, messages and calls; search; memories, lessons, permissions, providers, settings."""
    for statement in (*_CHATS, *_THE_REST, *_SEARCH):
        connection.execute(statement)


def _prices(connection: sqlite3.Connection) -> None:
    """2: what a model costs, in US dollars for a million tokens."""
    for column in ("price_in", "price_out"):
        connection.execute(f"ALTER TABLE models ADD COLUMN {column} REAL")


def _wire_state(connection: sqlite3.Connection) -> None:
    """3: what a wire keeps of a chat with a provider, in its own words."""
    connection.execute(
        """
        CREATE TABLE wire_state (
            chat INTEGER NOT NULL REFERENCES chats ON DELETE CASCADE,
            provider TEXT NOT NULL,
            endpoint TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (chat, provider, endpoint)
        )
        """
    )


def _pictures(connection: sqlite3.Connection) -> None:
    """4: pictures of answers. One that no call shows any more goes."""
    for statement in (
        "CREATE TABLE pictures (hash TEXT PRIMARY KEY, media_type TEXT NOT NULL, data BLOB NOT NULL)",
        """
        CREATE TABLE call_pictures (
            part INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
            position INTEGER NOT NULL,
            picture TEXT NOT NULL REFERENCES pictures,
            PRIMARY KEY (part, position)
        )
        """,
        "CREATE INDEX call_pictures_picture ON call_pictures (picture)",
        """
        CREATE TRIGGER call_picture_gone AFTER DELETE ON call_pictures
        WHEN NOT EXISTS (SELECT 1 FROM call_pictures WHERE picture = old.picture)
        BEGIN DELETE FROM pictures WHERE hash = old.picture; END
        """,
    ):
        connection.execute(statement)


def _safe_hands(connection: sqlite3.Connection) -> None:
    """5: what a call brought in from outside, what a permission was given for, and how calls are taken back."""
    for statement in (
        "ALTER TABLE calls ADD COLUMN outside TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE permissions ADD COLUMN definition TEXT NOT NULL DEFAULT ''",
        # `before` is what a file held; NULL when there was none.
        """
        CREATE TABLE undos (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            call TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            what TEXT NOT NULL,
            before BLOB
        )
        """,
    ):
        connection.execute(statement)


def _integrations(connection: sqlite3.Connection) -> None:
    """6: MCP servers, what is remembered of their tools, and what a chat switches for itself."""
    for statement in (
        # `definition` is JSON and holds no secrets.
        """
        CREATE TABLE integrations (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            definition TEXT NOT NULL,
            is_on INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE integration_tools (
            integration TEXT NOT NULL,
            tool TEXT NOT NULL,
            digest TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (integration, tool)
        )
        """,
        # `tool` is empty where the whole integration is switched.
        """
        CREATE TABLE chat_switches (
            chat INTEGER NOT NULL REFERENCES chats ON DELETE CASCADE,
            integration TEXT NOT NULL,
            tool TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (chat, integration, tool)
        )
        """,
    ):
        connection.execute(statement)


def _provider_ways(connection: sqlite3.Connection) -> None:
    """7: how a provider is reached. `headers` is JSON: pairs of name and value. `secret_headers` is JSON: names."""
    for column, default in (("proxy", ""), ("ca_file", ""), ("headers", "[]"), ("secret_headers", "[]")):
        connection.execute(f"ALTER TABLE providers ADD COLUMN {column} TEXT NOT NULL DEFAULT '{default}'")


def _chat_options(connection: sqlite3.Connection) -> None:
    """8: what a person set for one chat. `spend_limit` is in US dollars."""
    connection.execute(
        """
        CREATE TABLE chat_options (
            chat INTEGER PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
            system TEXT NOT NULL,
            temperature REAL,
            max_tokens INTEGER,
            effort TEXT NOT NULL,
            spend_limit REAL
        )
        """
    )


def _attachments(connection: sqlite3.Connection) -> None:
    """9: what a person attaches to a message, and to one that is not sent yet. A picture that nothing shows goes."""
    unused = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} WHERE picture = old.picture)"
        for table in ("call_pictures", "attachments", "draft_attachments")
    )
    for statement in (
        # `picture` is NULL for a file, whose text is that of its part.
        """
        CREATE TABLE attachments (
            part INTEGER PRIMARY KEY REFERENCES parts ON DELETE CASCADE,
            name TEXT NOT NULL,
            outside TEXT NOT NULL,
            picture TEXT REFERENCES pictures
        )
        """,
        """
        CREATE TABLE draft_attachments (
            chat INTEGER NOT NULL REFERENCES chats ON DELETE CASCADE,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            outside TEXT NOT NULL,
            picture TEXT REFERENCES pictures,
            text TEXT NOT NULL,
            PRIMARY KEY (chat, position)
        )
        """,
        "CREATE INDEX attachments_picture ON attachments (picture)",
        "CREATE INDEX draft_attachments_picture ON draft_attachments (picture)",
        "DROP TRIGGER call_picture_gone",
        *(
            f"""
            CREATE TRIGGER {name} AFTER DELETE ON {table} WHEN old.picture IS NOT NULL AND {unused}
            BEGIN DELETE FROM pictures WHERE hash = old.picture; END
            """
            for name, table in (
                ("call_picture_gone", "call_pictures"),
                ("attachment_gone", "attachments"),
                ("draft_attachment_gone", "draft_attachments"),
            )
        ),
    ):
        connection.execute(statement)


def _accepted_definitions(connection: sqlite3.Connection) -> None:
    """10: an integration's tool as the person accepted it, JSON; "" where only the digest is known."""
    connection.execute("ALTER TABLE integration_tools ADD COLUMN definition TEXT NOT NULL DEFAULT ''")


MIGRATIONS: tuple[Migration, ...] = (
    _first,
    _prices,
    _wire_state,
    _pictures,
    _safe_hands,
    _integrations,
    _provider_ways,
    _chat_options,
    _attachments,
    _accepted_definitions,
)
