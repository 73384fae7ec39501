"""The marks of a call in words: the form Hermes and Qwen models are trained on."""

from __future__ import annotations

CALL_OPEN = "<tool_call>"
CALL_CLOSE = "</tool_call>"
RESPONSE_OPEN = "<tool_response>"
RESPONSE_CLOSE = "</tool_response>"
