"""Two runs compared, for tests."""

from __future__ import annotations

from rich.console import Console

from watari.report import verdicts
from watari.report.compare import Comparison


def words(rows: Comparison, case: str) -> set[str]:
    """The verdicts on a case."""
    return {row.verdict for row in rows if row.case == case and row.base}


def printed(rows: Comparison, width: int = 160) -> str:
    """The table as a person sees it."""
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(verdicts.render(rows))
    return console.export_text()
