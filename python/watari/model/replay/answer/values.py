"""The answer for a program as plain values, for `--json` and the trace file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from watari.model.replay.advice import Answer, Saving, Styled
from watari.model.replay.styles.groups import best, groups, verdict

SCHEMA = "watari-advice-1"


def saving(one: Saving) -> dict[str, Any]:
    """A change and what it saves."""
    return {
        "change": one.change,
        "text": one.text,
        "site": one.site,
        "times": one.times,
        "bytes": one.bytes,
        "imposed": one.imposed,
        "saves": one.saves.plain(),
        "sure": one.is_sure,
    }


def styled(rows: Sequence[Styled]) -> list[dict[str, Any]]:
    """Styles with their seconds, or the reason."""
    return [
        {"style": one.style, "reason": one.reason, **(one.run.plain() if one.run else {})}
        for one in rows
    ]


def of(answer: Answer) -> dict[str, Any]:
    """The whole answer."""
    left = answer.left
    return {
        "schema": SCHEMA,
        "what": answer.title,
        "measured": answer.measured,
        "replayed": answer.seconds,
        "shares": dict(answer.shares),
        "savings": [saving(one) for one in answer.savings],
        "left": left
        and {
            **left.seconds.plain(),
            "shares": dict(left.shares),
            "changes": list(left.changes),
        },
        "changes": styled(answer.changes),
        "styles": {"imposed": styled(answer.imposed), "rewritten": styled(answer.rewritten)},
        "groups": {
            "imposed": [list(group) for group in groups(answer.imposed)],
            "rewritten": [list(group) for group in groups(answer.rewritten)],
        },
        "best": {
            "imposed": list(best(answer.imposed)),
            "rewritten": list(best(answer.rewritten)),
        },
        "verdict": {"imposed": verdict(answer.imposed), "rewritten": verdict(answer.rewritten)},
        "notes": list(answer.notes),
        "stops": list(answer.stops),
    }
