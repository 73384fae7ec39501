"""The child process that serves a model on this computer: `python -m conch_desktop.providers.local_child MODEL.gguf`.

The key is the first line on stdin; the address is the first line on stdout, as JSON: {"url": …} or {"error": …}.
It ends when stdin is closed, which also happens when its parent dies in any way. A crash, an illegal instruction or the
memory of llama.cpp stays in here. Nothing but the standard library and xllamacpp is imported.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TextIO

_LAST_SECONDS = 3.0
"""How long the server may take to stop by itself."""


def main() -> int:
    """Serves until stdin is closed."""
    options = argparse.ArgumentParser(prog="local_child")
    options.add_argument("model")
    options.add_argument("--name", default="")
    options.add_argument("--window", type=int, default=8192)
    options.add_argument("--template", type=Path, help="a chat template in the place of the model's own")
    options.add_argument("--no-jinja", action="store_true", help="read no template; tools are refused then")
    asked = options.parse_args()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            # Ctrl+C in a terminal means Stop to the parent, and nothing to its model.
            signal.signal(getattr(signal, name), signal.SIG_IGN if name == "SIGINT" else _end)
    out = _own_stdout()
    key = sys.stdin.readline().strip()
    try:
        server, url = _serve(asked, key)
    except (RuntimeError, ImportError, OSError) as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=out, flush=True)
        return 1
    print(json.dumps({"url": url}), file=out, flush=True)
    sys.stdin.read()  # ends when the parent closes the pipe or dies
    late = threading.Timer(_LAST_SECONDS, os._exit, (0,))
    late.daemon = True
    late.start()
    del server
    return 0


def _serve(asked: argparse.Namespace, key: str) -> tuple[object, str]:
    """Starts the server. Raises RuntimeError; the reason is on stderr then."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = asked.model, {asked.name or Path(asked.model).stem}
    params.n_ctx, params.n_parallel, params.n_gpu_layers = asked.window, 1, 0
    if asked.template is not None:
        params.chat_template = asked.template.read_text("utf-8")
    params.use_jinja = not asked.no_jinja
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, physical_cores() - 1)
    params.hostnames, params.port = ["127.0.0.1"], 0  # 0: any free port
    # Without a key and these two, any web page the person has open could talk to the model.
    params.api_keys, params.ui, params.cors_origins = [key], False, "null"
    params.verbosity = 1
    server = xllamacpp.Server(params)
    return server, str(server.listening_address)


def physical_cores() -> int:
    """Cores this process may use, each counted once: two threads of one core only wait for each other here."""
    system = platform.system()
    if system == "Linux":
        cores = set()
        for cpu in os.sched_getaffinity(0):
            place = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
            try:
                cores.add(((place / "physical_package_id").read_text(), (place / "core_id").read_text()))
            except OSError:
                cores.add((str(cpu), ""))
        return len(cores)
    if system == "Darwin":
        told = subprocess.run(["sysctl", "-n", "hw.physicalcpu"], capture_output=True, text=True, check=False).stdout
        return int(told) if told.strip().isdigit() else os.cpu_count() or 1
    return max(1, (os.cpu_count() or 2) // 2)


def _own_stdout() -> TextIO:
    """The real stdout for the one line it is for; whatever llama.cpp writes there goes to stderr."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _end(*_: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
