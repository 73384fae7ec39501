"""Schemas: what a JSON Schema becomes for a provider or a grammar."""
