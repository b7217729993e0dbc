"""Checks that nothing of a machine is lost: GPUs, links, and cases of this run that were ok in an
earlier run of the same machine.

The best of all earlier runs counts, since runs on a broken node become earlier runs, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from watari.plan.request import Request, describe_all
from watari.report.check.causes import GPU, LINK
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item, Run, path_of
from watari.report.check.stored import Earlier
from watari.report.compare import LOOSE
from watari.results.key import key
from watari.results.measured import Measured

CHECK = "lost"
FIELDS = ("generation", "width", "links")  # of a link


def lost(run: Run) -> list[Item]:
    """Items for GPUs, links and cases that an earlier run had."""
    if not run.earlier:
        text = "no earlier run of this machine to compare with"
        return [Item(CHECK, "earlier runs", UNKNOWN, text), *unsupported(run, set())]
    return [*gpus(run), *links(run), *cases(run)]


def gpu_names(machine: dict[str, Any]) -> list[str]:
    """The products, sorted."""
    return sorted(p["name"] for p in machine["processors"] if p["kind"] == "gpu")


def models(gpus: Sequence[str]) -> str:
    """`2 x NVIDIA H200`; `0` without any."""
    return ", ".join(f"{n} x {name}" for name, n in Counter(gpus).items()) or "0"


def gpus(run: Run) -> Iterator[Item]:
    """Number and models of the GPUs, against the earlier run with most of them. Another model in
    place of one fails."""
    best = max(run.earlier, key=lambda earlier: len(gpu_names(earlier.machine)))
    before, now = gpu_names(best.machine), gpu_names(run.machine)
    if not before:
        return
    gone = Counter(before) - Counter(now)
    verdict = LOST if len(now) < len(before) else FAIL if gone else PASS
    text = f"{models(now)}; {models(before)} in {best.file}"
    yield Item(CHECK, "GPUs", verdict, text, frozenset({GPU}))


def described(link: dict[str, Any]) -> str:
    """`Gen5 x16`, `18 links`; empty where nothing is known."""
    words = {"generation": "Gen{}", "width": "x{}", "links": "{} links"}
    return " ".join(words[name].format(link[name]) for name in FIELDS if link[name])


def links(run: Run) -> Iterator[Item]:
    """Each link between processors that are still here, against the best of earlier runs. A
    generation in the record is what slot and GPU allow, which does not fall when the GPU idles."""
    here = {p["id"] for p in run.machine["processors"]}
    now = {(link["from"], link["to"], link["kind"]): link for link in run.machine["links"]}
    best: dict[tuple[str, str, str], tuple[dict[str, Any], Earlier]] = {}
    for earlier in run.earlier:
        for link in earlier.machine["links"]:
            ends = (link["from"], link["to"], link["kind"])
            if {*ends[:2]} <= here and (ends not in best or level(link) > level(best[ends][0])):
                best[ends] = link, earlier
    for ends, (before, earlier) in best.items():
        name, link = f"{ends[0]} to {ends[1]}, {ends[2]}", now.get(ends)
        verdict = LOST if link is None else judged(link, before)
        text = "no such link" if link is None else described(link) or "not reported"
        says = f"{text}; {described(before) or 'there'} in {earlier.file}"
        yield Item(CHECK, name, verdict, says, frozenset({LINK}))


def level(link: dict[str, Any]) -> float:
    """A number by which links are ordered: generation, lanes and links multiplied."""
    product = 1.0
    for name in FIELDS:
        product *= link[name] or 1
    return product


def judged(link: dict[str, Any], before: dict[str, Any]) -> str:
    """Fails where a number is lower than before, unknown where it is no longer reported."""
    known = [(link[name], before[name]) for name in FIELDS if before[name]]
    if any(now is not None and now < then for now, then in known):
        return FAIL
    return UNKNOWN if any(now is None for now, _ in known) else PASS


def loose(m: Measured) -> str:
    """The key of a case, without numbers that may differ between runs of it."""
    return key(m.case, {name: value for name, value in m.parameters.items() if name not in LOOSE})


def cases(run: Run) -> Iterator[Item]:
    """The cases of this run that were ok in an earlier one."""
    ok: dict[str, str] = {}
    other = set()
    for earlier in run.earlier:
        for m in earlier.cases:
            if m.status == "ok" and earlier.results is not run.baseline:  # which has its own check
                ok.setdefault(loose(m), earlier.file)
            else:
                other.add(loose(m))
    again = [m for m in run.measured if loose(m) in ok]
    gone = [m for m in again if m.status != "ok"]
    names = describe_all([Request(m.case, m.parameters, 1) for m in gone])
    for m, name in zip(gone, names, strict=True):
        text = f"ok in {ok[loose(m)]}, now {m.status}: {m.reason}"
        yield Item(CHECK, name, LOST, text, path_of(m))
    if kept := len(again) - len(gone):
        yield Item(CHECK, "cases", PASS, f"{kept} that were ok before are ok")
    yield from unsupported(run, {*ok, *other})


def unsupported(run: Run, known: set[str]) -> Iterator[Item]:
    """The cases that this machine does not support, and that no earlier run had."""
    new = [m for m in run.measured if m.status == "unsupported" and loose(m) not in known]
    if new:
        reasons = "; ".join(dict.fromkeys(m.reason for m in new))
        text = f"{len(new)} case{'s'[: len(new) > 1]}, in no earlier run: {reasons}"
        yield Item(CHECK, "unsupported", UNKNOWN, text)
