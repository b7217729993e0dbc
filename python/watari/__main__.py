"""The entry point: an interrupt ends the command in one line, also while modules are imported.

SIGINT has its default action until the handlers are there: it ends the process without a traceback.
So this module imports as little as possible before that.
"""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """The command line. Code that must keep something when Ctrl-C comes keeps it itself."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # what a shell ignores stays ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from watari.common.errors import UsageError
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


if __name__ == "__main__":
    main()
