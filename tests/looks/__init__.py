"""A developer's tool: takes a picture of every state the look shows, each beside its target."""
