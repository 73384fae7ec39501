"""A real llama.cpp server whose template knows tools: `llama_child MODEL.gguf`, its address on stdout, until stdin ends.

The template names the tools but doesn't print their schemas, so that the size of a schema costs nothing here; the server
makes a grammar of every schema all the same. It runs in a process of its own, for a schema can end it.
"""

from __future__ import annotations

import os
import sys

TEMPLATE = r"""
{%- if tools %}{{- '<|im_start|>system\nTools: <tools>' }}{%- for tool in tools %}{{- tool.function.name }} {%- endfor %}
{{- '</tools>\nFor each call write:\n<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call><|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' and message.tool_calls %}
{{- '<|im_start|>assistant' }}{%- if message.content %}{{- '\n' + message.content }}{%- endif %}
{%- for call in message.tool_calls %}{%- if call.function %}{%- set call = call.function %}{%- endif %}
{{- '\n<tool_call>\n{"name": "' }}{{- call.name }}{{- '", "arguments": ' }}{{- call.arguments | tojson }}
{{- '}\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- else %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}
"""


def main() -> None:
    """Serves until stdin is closed."""
    import xllamacpp

    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # llama.cpp writes where it likes
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.chat_template = TEMPLATE
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 1024, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port, params.ui, params.verbosity = ["127.0.0.1"], 0, False, 0
    server = xllamacpp.Server(params)
    print(server.listening_address, file=out, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
