"""Ctrl-C and SIGTERM: held back while something is done that must not be left half done.

KeyboardInterrupt is raised between any two steps: where a folder is there and its name not yet
known, where a process was started and no variable holds it, during a removal. A handler
remembers the signals instead; they are not blocked, for processes that are started meanwhile would
inherit that.
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
    """Whether an interrupt came."""

    def __init__(self) -> None:
        self.came = False
        self.holding = True

    def take(self, number: int, frame: FrameType | None) -> None:
        """The handler of both signals."""
        self.came = True
        if not self.holding:
            self.holding = True  # a second one must not break the ending
            raise KeyboardInterrupt

    @contextmanager
    def remember(self) -> Iterator[None]:
        """Interrupts of this block are remembered, no more. What is ignored stays ignored."""
        before = {}
        try:
            if threading.current_thread() is threading.main_thread():  # no other is interrupted
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
        """Raises KeyboardInterrupt in this block: for what came before, or as soon as one comes."""
        self.holding = False
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self.holding = True


def end_at_second() -> None:
    """From here on a second Ctrl-C or SIGTERM ends this process and its trials at once, whatever
    C++ is doing. The first one is Python's; where a handler of Python's is not set, it ends all.
    Raises ImportError where the compiled module is missing."""
    from watari import _native

    signal.set_wakeup_fd(_native.signal_pipe(), warn_on_full_buffer=False)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """For work that asks between two steps whether it should stop: whether Ctrl-C or SIGTERM came.
    A second one does what it did before. In the main thread; another one is never stopped."""
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
    """Raises KeyboardInterrupt at its end if one came, or where the block lets it through."""
    hold = Hold()
    try:
        with hold.remember():
            yield hold
    finally:
        if hold.came:
            raise KeyboardInterrupt
