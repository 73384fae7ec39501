"""The engine: the life of a chat, from a person's message to the end of the answer. No Qt."""
