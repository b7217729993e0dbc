"""What `watari.predict` and `watari.advise` return: objects that print as the commands do, and are
tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from watari.api.shown import Figure, Shown, table, text_of
from watari.common.errors import UsageError

if TYPE_CHECKING:
    import pandas

    from watari.case.sentence import Cost, Sentence
    from watari.model.advise import Advice
    from watari.model.predict import Prediction
    from watari.model.replay.advice import Answer

Found = list[tuple[str, list["Prediction"], str]]  # title, predictions, case
Row = dict[str, Any]


def cost(value: Cost | None) -> Row:
    """Seconds with their interval; empty without a prediction."""
    if value is None:
        return {"seconds": None, "low": None, "high": None}
    return value.plain()


def drawn(found: Found) -> Figure:
    """The styles of each program by seconds. Raises UsageError where none is predicted."""
    try:
        from watari.model import figure
    except ImportError as error:
        text = f"a figure needs {error.name}: pip install 'watari[report]'"
        raise UsageError(text) from None
    return Figure(figure.spec([(title, predictions) for title, predictions, _ in found], {}))


class Predictions(Shown):
    """Seconds of each program in each memory style on one machine.

    `machine`: where the rates come from, in words. `programs`: (title, predictions) of each point
    of the axes; a `Prediction` has `style`, `total` and `parts` in seconds, or the `reason` why
    there are none.
    """

    def __init__(self, machine: str, found: Found) -> None:
        self.machine = machine
        self.programs = [(title, predictions) for title, predictions, _ in found]
        self._found = found

    @property
    def text(self) -> str:
        """The tables of `watari predict`."""
        from watari.model import render

        parts: list[Any] = [self.machine]
        for title, predictions in self.programs:
            if any(not one.reason for one in predictions):
                parts.append(render.table(title, predictions, {}))
            parts += render.notes(predictions)
        return text_of(*parts)

    def frame(self) -> pandas.DataFrame:
        """A DataFrame with a row for each program and style: its axes; `seconds` of the whole
        program with `low` and `high` of its interval, the middle of each part in seconds, and the
        `reason` where there are none."""
        rows = []
        for title, predictions in self.programs:
            for one in predictions:
                whole = {} if one.reason else cost(one.total)
                parts = {name: part.middle for name, part in one.parts.items()}
                row = {"what": title, **one.parameters, "style": one.style}
                row |= {**(whole or cost(None)), **parts}
                rows.append({**row, "reason": one.reason or None})
        return table(rows)

    def plot(self) -> Figure:
        """The styles of each program by seconds, with intervals. Raises UsageError where no style
        is predicted."""
        return drawn(self._found)

    def __repr__(self) -> str:
        titles = "; ".join(title for title, _ in self.programs)
        return f"<Predictions of {titles}; print() shows them>"


class Advised(Shown):
    """The best memory style of a case, for each point of its axes.

    `machine`: where the rates come from. `advice`: (title, advice); an `Advice` has `best` (names
    of styles), `verdict`, `because` and `break_even` in words.
    """

    def __init__(self, machine: str, found: Found, advice: list[tuple[str, Advice]]) -> None:
        self.machine, self.advice, self._found = machine, advice, found

    @property
    def best(self) -> tuple[str, ...]:
        """The best style of the first point; several that are too close to separate."""
        return self.advice[0][1].best

    @property
    def text(self) -> str:
        """The tables and sentences of `watari advise`."""
        from watari.model import render

        parts: list[Any] = [self.machine]
        for title, advice in self.advice:
            parts += [render.advice(title, advice)] if advice.ranked else []
            parts += render.advice_lines(advice)
        return text_of(*parts)

    def frame(self) -> pandas.DataFrame:
        """A DataFrame with a row for each program and style, the best first: its axes; `seconds`,
        `low`, `high` of the whole program; `statements` that manage memory; `best`."""
        return table(
            [
                {
                    "what": title,
                    **rank.prediction.parameters,
                    "style": rank.prediction.style,
                    **cost(rank.total),
                    "statements": rank.effort,
                    "best": rank.prediction.style in advice.best,
                }
                for title, advice in self.advice
                for rank in advice.ranked
            ]
        )

    def plot(self) -> Figure:
        """The styles of each program by seconds. Raises UsageError where none is predicted."""
        return drawn(self._found)

    def __repr__(self) -> str:
        return f"<Advised: {self.advice[0][1].verdict}; print() shows why>"


class Answered(Shown):
    """The answer for a traced program: where its time goes, which changes save how much, and its
    memory styles. `answer` has them, in seconds of the whole run."""

    def __init__(self, machine: str, answer: Answer, styles_alone: bool = False) -> None:
        self.machine, self.answer, self._styles_alone = machine, answer, styles_alone

    @property
    def text(self) -> str:
        """What `watari advise`, or `watari predict` of a trace, prints."""
        from watari.model.replay.answer import says

        lines = (says.styles_alone if self._styles_alone else says.whole)(self.answer)
        return "\n".join([f"machine: {self.machine}", *lines])

    def frame(self) -> pandas.DataFrame:
        """A DataFrame with a row for each change and style. `kind`: `saves` (seconds that a change
        saves), `changed` (the run with a change of `watari exec`), `imposed` and `rewritten` (the
        run in a style); `seconds`, `low`, `high`; `site` and `bytes` of a change; `reason`."""
        answer = self.answer
        rows: list[Row] = [
            {"kind": "saves", "name": one.change, **cost(one.saves), "site": one.site,
             "bytes": one.bytes, "reason": None}
            for one in answer.savings
        ]  # fmt: skip
        for kind, styles in (
            ("changed", answer.changes),
            ("imposed", answer.imposed),
            ("rewritten", answer.rewritten),
        ):
            rows += [
                {"kind": kind, "name": s.style, **cost(s.run), "reason": s.reason or None}
                for s in styles
            ]
        return table(rows)

    def plot(self) -> Figure:
        """Where the time goes, as it is and with the best changes."""
        from watari.model.replay.answer import bars

        return Figure(svg=bars.alone(self.answer))

    def __repr__(self) -> str:
        return f"<Answered: {self.answer.title}; print() shows it>"


class General(Shown):
    """Where data should live on a machine, without a program. `sentences`: each has a `topic`, a
    `figure`, its `confidence`."""

    def __init__(self, machine: str, sentences: Sequence[Sentence]) -> None:
        self.machine, self.sentences = machine, list(sentences)

    @property
    def text(self) -> str:
        """What `watari advise` prints."""
        lines = [line for one in self.sentences for line in ("", one.line())]
        return "\n".join([self.machine, *lines])

    def frame(self) -> pandas.DataFrame:
        """A DataFrame with a row for each sentence."""
        from watari.model import render

        return table([render.sentence(one) for one in self.sentences])

    def plot(self) -> Figure:
        """Raises UsageError: sentences have no figure."""
        raise UsageError("an answer in sentences has no figure: watari.run(...).plot() has some")

    def __repr__(self) -> str:
        return f"<General: {len(self.sentences)} sentences; print() shows them>"
