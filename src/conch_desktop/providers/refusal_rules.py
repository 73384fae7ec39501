"""The rules that tell refusals apart, in their order, with the reports they come from.

A rule is searched in the words of a body as `refusal_bodies` unfolds them: a line a text, each begun with its key.
Rules judge by what a body says (the way to a field, a code, who does not take what), not by whole sentences. Where a
report is named, the words were seen there; "known" marks words from use. The tests have bodies for each.

The order matters more than the patterns. The model's own malformed call and faults of the history use the words of
refused schemas; refused schemas use those of refused tools ("… is not supported"); so they come in this order, and a
rule for tools is the most careful of all: it costs a model its native tools.
"""

from __future__ import annotations

from conch_desktop.providers import refusal_rules_rest, refusal_rules_tools
from conch_desktop.providers.refusal_rule import Rule

RULES: tuple[Rule, ...] = (*refusal_rules_tools.RULES, *refusal_rules_rest.RULES)
