"""Work of this process while a program runs: a thread, whose result is waited for later."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Aside(Generic[Result]):
    """Calls `work` in a thread, which an interrupt of this process does not wait for."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self.work = work
        self.found: list[Result] = []
        self.error: BaseException | None = None
        self.thread = Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        """The work, in the thread."""
        try:
            self.found.append(self.work())
        except BaseException as error:
            self.error = error

    def result(self) -> Result:
        """Waits for the result. Raises what the work raised."""
        self.thread.join()
        if self.error:
            raise self.error
        return self.found[0]
