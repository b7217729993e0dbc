"""Memory styles in groups that their intervals separate."""

from __future__ import annotations

import random
import statistics

from watari.case.sentence import Cost
from watari.model.replay.advice import Styled
from watari.model.replay.answer import spread
from watari.model.replay.styles.groups import best, groups, verdict


def of(**found: tuple[float, float, float]) -> list[Styled]:
    names = {name.replace("_", "-"): ends for name, ends in found.items()}
    return [Styled(name, Cost(*ends)) for name, ends in names.items()]


def test_groups_are_what_intervals_separate() -> None:
    rows = of(as_is=(1, 1, 1), managed=(1.05, 1, 1.1), mapped=(3, 2, 4), pinned=(3.5, 2.5, 5))
    assert groups(rows) == (("as-is", "managed"), ("mapped", "pinned"))
    assert verdict(rows) == "no memory style makes this run faster by 3%"


def test_a_difference_below_the_threshold_is_none() -> None:
    rows = of(as_is=(1, 1, 1), managed=(1.02, 1.015, 1.025))
    assert groups(rows) == (("as-is", "managed"),)
    assert verdict(rows) == "no memory style changes this run by 3%"


def test_an_interval_wider_than_the_difference_is_not_sure() -> None:
    rows = of(as_is=(1, 1, 1), managed=(0.9, 0.5, 1.5))
    assert "not sure: managed" in verdict(rows)
    assert groups(rows) == (("managed", "as-is"),)


def test_the_fastest_style_is_named() -> None:
    rows = of(as_is=(1, 1, 1), managed=(0.5, 0.45, 0.55), mapped=(3, 2, 4))
    assert verdict(rows) == "managed: 0.5 s (0.45 s to 0.55 s) instead of 1 s"


def test_what_is_unknown_of_another_machine_separates_no_styles() -> None:
    rows = of(as_is=(1, 0.5, 2), managed=(1.1, 0.6, 2.1), pinned=(0.9, 0.45, 2.2))
    assert groups(rows) == (("pinned", "as-is", "managed"),)
    apart = of(as_is=(1, 0.5, 2), managed=(1.1, 0.6, 2.1))
    assert groups(apart) == (("as-is",), ("managed",))
    assert verdict(rows) == "none is faster by 3% for sure; not sure: pinned"


def test_a_style_that_may_be_faster_is_not_sure_though_it_is_hardly_slower() -> None:
    rows = of(as_is=(1, 1, 1), pinned=(0.98, 0.9, 1.01))
    assert verdict(rows) == "none is faster by 3% for sure; not sure: pinned"


def test_the_best_styles_are_a_group() -> None:
    assert best(of(as_is=(1, 1, 1), managed=(1.01, 1, 1.02))) == ()
    assert best(of(as_is=(1, 1, 1), mapped=(3, 2, 4))) == ("as-is",)
    assert best(of(as_is=(1, 1, 1), mapped=(1.5, 0.5, 4))) == ("as-is", "mapped")
    both = of(as_is=(1, 1, 1), managed=(0.5, 0.4, 0.6), pinned=(0.55, 0.4, 0.7), mapped=(3, 2, 4))
    assert best(both) == ("managed", "pinned")
    unknown = Styled("mapped", reason="not sure: 1 s to 9 s")
    assert best([*of(as_is=(1, 1, 1)), unknown]) == ("as-is", "mapped")


def test_the_seconds_of_a_run_have_the_noise_of_runs_and_groups_do_not() -> None:
    rows = spread.of_runs(of(as_is=(1, 1, 1), managed=(0.5, 0.47, 0.53)), 0.08)
    assert verdict(rows) == "managed: 0.5 s (0.45 s to 0.55 s) instead of 1 s"
    assert groups(rows) == (("managed",), ("as-is",))
    assert rows[0].run == Cost(1, 0.92, 1.08)


def test_one_more_run_lies_in_the_interval_of_the_runs_before() -> None:
    """Of normal runs 95% do, whatever their number; a single run has no spread of its own."""
    source = random.Random(3)
    for count in (3, 4, 5, 6):
        inside = 0
        for _ in range(4000):
            *runs, another = (source.gauss(1, 0.05) for _ in range(count + 1))
            inside += abs(another - statistics.mean(runs)) <= spread.part(runs)
        assert 0.93 <= inside / 4000 <= 0.97
    assert spread.part([1.0]) == spread.part([1.0, 1.5]) == spread.ONCE
    assert spread.part([1.0, 1.0, 1.0]) > 0


def test_runs_that_differ_by_a_tenth_are_named() -> None:
    assert spread.notes([1.0, 1.05, 1.09]) == []
    (note,) = spread.notes([1.0, 1.05, 1.2])
    assert note == "3 runs of the same program took 1 s to 1.2 s: compare medians of many runs"
