"""The entry point: Ctrl-C is answered in one line from here on, also while all else is imported."""

from __future__ import annotations

import signal
import sys

from watari.common.interrupts import INTERRUPTED, end_at_second


def main() -> None:
    """The command line. What must be kept when Ctrl-C comes is kept by those who have it."""
    try:
        end_at_second()
        from watari.cli import commands as cli

        cli.main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda number, frame: None)  # a second one breaks no line
        print("watari: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
