"""The entry point: Ctrl-C is answered in one line from here on, also while all else is imported."""

from __future__ import annotations

import sys

from watari.interrupts import INTERRUPTED


def main() -> None:
    """The command line. What must be kept when Ctrl-C comes is kept by those who have it."""
    try:
        from watari import cli

        cli.main()
    except KeyboardInterrupt:
        print("watari: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
