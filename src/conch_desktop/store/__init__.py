"""The store: everything that is kept, in one SQLite database on its own thread; keys in the key store."""
