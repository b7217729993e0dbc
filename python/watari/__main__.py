"""The entry point. An interrupt ends the command in one line, also while modules are imported; so
does a limit of addresses that leaves no room for them.

SIGINT has its default action until the handlers are there: it ends the process without a traceback.
So this module imports as little as possible before that.
"""

from __future__ import annotations

import os
import resource
import signal
import sys


def refuse_few_addresses() -> None:
    """Ends the command where `ulimit -v` leaves less than the imports take: they would end in a
    traceback, or wait in a library's retries. Measured: 151 MiB, and 40 for each thread of NumPy's
    OpenBLAS beyond the first, of which there are 64 at most."""
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
    """The command line. Code that must keep something when Ctrl-C comes keeps it itself."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # what a shell ignores stays ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    refuse_few_addresses()
    from watari.common.errors import UsageError, WatariError
    from watari.common.interrupts import INTERRUPTED, end_at_second

    try:
        end_at_second()
    except ImportError as error:
        print(f"watari: its compiled part is not installed: {error}", file=sys.stderr)
        sys.exit(UsageError.exit_code)
    try:
        signal.signal(signal.SIGINT, handler)
        from watari.cli import commands

        commands.main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda number, frame: None)  # a second one breaks no line
        print("watari: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except MemoryError:
        print("watari: out of memory", file=sys.stderr)
        sys.exit(WatariError.exit_code)


if __name__ == "__main__":
    main()
