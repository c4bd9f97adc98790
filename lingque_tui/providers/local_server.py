"""The embedded model's process: llama.cpp behind a key on loopback, for one parent only.

One JSON line comes in on stdin (`model`, `alias`, `window`, `threads`, `key`), one goes out on stdout (`url` or
`error`). Then it serves until stdin ends, and stdin ends when the parent does, however that happens. So nothing is
left behind, and the key stands neither in the arguments nor in the environment, where others could read it.

Standard library and xllamacpp only: it starts alone, without the rest of the program.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import sys
from typing import IO, Any

_LOADING_S = 300


def main() -> None:
    order = json.loads(sys.stdin.buffer.readline() or "{}")
    answer = _keep_stdout_for_us()
    _end_with_stdin_while_loading()
    try:
        server = _serve(order)
        result = {"url": server.listening_address}
    except Exception as problem:
        result = {"error": f"{type(problem).__name__}: {problem}"}
    _back_to_reading()
    answer.write(json.dumps(result) + "\n")
    answer.flush()
    if "url" in result:
        sys.stdin.buffer.read()
    os._exit(0)  # at once: what llama.cpp would tidy up goes with the process


def _serve(order: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["model"]
    params.model_alias = {order["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["key"]]
    params.n_ctx = order["window"]
    params.n_parallel = 1
    params.cpuparams.n_threads = order["threads"]
    params.ui = False
    params.verbosity = 1  # errors only: they say why a file could not be loaded
    return xllamacpp.Server(params)


def _keep_stdout_for_us() -> IO[str]:
    """Our own copy of stdout. Whatever else the library prints there goes to stderr."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return ours


def _end_with_stdin_while_loading() -> None:
    """Loading holds the interpreter's lock from beginning to end (measured), so no thread of ours could watch stdin.

    The kernel can: it sends SIGIO when stdin ends, and on Linux that ends the process. Elsewhere the time limit,
    which faulthandler keeps without the lock, bounds how long a load may outlive its parent."""
    faulthandler.dump_traceback_later(_LOADING_S, exit=True, file=sys.stderr)
    if sys.platform == "win32":
        return
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # it had ended before the kernel was told to watch
        os._exit(0)


def _back_to_reading() -> None:
    faulthandler.cancel_dump_traceback_later()
    if sys.platform == "win32":
        return
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) & ~os.O_ASYNC)


if __name__ == "__main__":
    main()
