"""The entry point. An interrupt ends the command with one line, also while modules are imported. So
does an address-space limit (ulimit -v) that is too small for the imports.

Before the handlers of Watari are installed, SIGINT and SIGTERM end the process at once, since no
work has begun. This module imports little before that.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
from contextlib import suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # exit code, as shells report SIGINT


def end_at_once(number: int, frame: FrameType | None) -> None:
    """Handles an interrupt while Watari starts."""
    with suppress(OSError):  # a closed standard error
        os.write(2, b"watari: interrupted\n")
    os._exit(INTERRUPTED)


def handle(handler: signal._HANDLER) -> None:
    """Installs a handler of both signals. Ignored signals stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)


def refuse_few_addresses() -> None:
    """Ends the command if `ulimit -v` is below what the imports need. Otherwise they would end in a
    traceback, or wait in a library's retries. Measured: 151 MiB, and 40 MiB for each thread of
    NumPy's OpenBLAS beyond the first; it has 64 threads at most."""
    least = 176 + 40 * min(len(os.sched_getaffinity(0)), 64)
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < least << 20:
        print(
            "watari: Python and its packages, within ulimit -v (RLIMIT_AS): "
            f"asked for {least} MiB, available {limit >> 20} MiB; choose a larger limit",
            file=sys.stderr,
        )
        sys.exit(2)


def main() -> None:
    """Runs the command line. Code that must save something on Ctrl-C saves it itself."""
    handle(end_at_once)
    if sys.argv[1:2] == ["exec"]:
        from watari.attach import execute

        execute.begin(sys.argv[2:])
    refuse_few_addresses()
    from watari.common.errors import UsageError, WatariError
    from watari.common.interrupts import end_at_second

    try:
        end_at_second()
    except ImportError as error:
        print(f"watari: its compiled part is not installed: {error}", file=sys.stderr)
        sys.exit(UsageError.exit_code)
    try:
        handle(signal.default_int_handler)
        gc.disable()  # all that an import makes stays
        from watari.cli import commands

        gc.enable()
        commands.main()
    except KeyboardInterrupt:
        handle(lambda number, frame: None)  # keeps the line whole
        print("watari: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except MemoryError:
        print("watari: out of memory", file=sys.stderr)
        sys.exit(WatariError.exit_code)


if __name__ == "__main__":
    main()
