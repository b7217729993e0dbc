"""Memory styles in groups that their intervals separate."""

from __future__ import annotations

from watari.case.sentence import Cost
from watari.model.replay.advice import Styled
from watari.model.replay.styles.groups import groups, verdict


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
