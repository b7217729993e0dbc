"""Ctrl-C and SIGTERM: held back during work that must not be left half done.

Python raises KeyboardInterrupt between any two steps: after a folder or process is made and before
a variable holds it, or during a removal. A handler remembers the signals instead. They are not
blocked: processes that are started meanwhile would inherit that.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

NUMBERS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # exit code, as shells report SIGINT


class Hold:
    """Remembers whether an interrupt came."""

    def __init__(self) -> None:
        self.came = False
        self.holding = True

    def take(self, number: int, frame: FrameType | None) -> None:
        """The handler of both signals."""
        self.came = True
        if not self.holding:
            self.holding = True  # a second interrupt must not break the ending
            raise KeyboardInterrupt

    @contextmanager
    def remember(self) -> Iterator[None]:
        """Interrupts in this block are only remembered. Ignored signals stay ignored."""
        before = {}
        try:
            if threading.current_thread() is threading.main_thread():  # only it gets signals
                for number in NUMBERS:
                    handler = signal.getsignal(number)
                    if handler not in (signal.SIG_IGN, None):
                        before[number] = handler
                        signal.signal(number, self.take)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Raises KeyboardInterrupt in this block: at once for an earlier interrupt, or when one
        comes."""
        self.holding = False
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self.holding = True


def end_at_second() -> None:
    """From here on a second Ctrl-C or SIGTERM ends this process and its children at once, even
    while C++ runs. Python handles the first one; without a handler in Python it ends the process.
    Raises ImportError where the compiled module is missing."""
    from watari import _native

    signal.set_wakeup_fd(_native.signal_pipe(), warn_on_full_buffer=False)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Gives a function for work that may stop between two steps: whether Ctrl-C or SIGTERM came. A
    second signal has the effect that it had before. Outside the main thread the function is always
    false."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.getsignal(number) for number in NUMBERS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def take(number: int, frame: FrameType | None) -> None:
        came.append(number)
        restore()

    for number in NUMBERS:
        signal.signal(number, take)
    try:
        yield lambda: bool(came)
    finally:
        restore()


@contextmanager
def held() -> Iterator[Hold]:
    """Holds interrupts back in this block. Raises KeyboardInterrupt at its end if one came, or
    where the block lets it through."""
    hold = Hold()
    try:
        with hold.remember():
            yield hold
    finally:
        if hold.came:
            raise KeyboardInterrupt
