"""A fleet for programs: plain values for JSON, CSV, JUnit XML, and text for Prometheus."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from xml.etree import ElementTree as Xml

from watari.common.printable import printable
from watari.report.check.formats import document
from watari.report.fleet.judge import (
    FAILED,
    LOST,
    UNKNOWN,
    Fleet,
    Group,
    Judged,
    Ratio,
    exit_code,
    pairs,
)
from watari.report.fleet.table import case_names
from watari.results.significance import SLOWER

BAD = (LOST, FAILED, SLOWER)


def of_ratio(ratio: Ratio, names: dict[str, str]) -> dict[str, Any]:
    """A node in one case; times in seconds of a sample."""
    return {
        "case": ratio.level.case,
        "parameters": ratio.level.parameters,
        "part": ratio.level.part,
        "name": names[ratio.name],
        "verdict": ratio.verdict,
        "bytes_per_sample": ratio.level.bytes_per_sample,
        "trials": len(ratio.level.seconds),
        "seconds": ratio.level.median,
        "median": ratio.typical.seconds,
        "mad": ratio.typical.mad,
        "ratio": ratio.ratio,
    }


def of_node(one: Judged, names: dict[str, str]) -> dict[str, Any]:
    """A node; its cases from the slowest."""
    return {
        "node": one.node.host,
        "verdict": one.verdict,
        "says": one.says,
        "files": one.node.files,
        "started": one.node.started,
        "differs": one.differs,
        "cases": [of_ratio(ratio, names) for ratio in one.ratios],
    }


def as_values(fleet: Fleet) -> dict[str, Any]:
    """Everything, for JSON. `mad` is of the logarithm of the time, `ratio` of speeds."""
    return {
        "threshold": fleet.threshold,
        "exit_code": exit_code(fleet),
        "left_out": fleet.unread,
        "groups": [
            {
                "hardware": group.hardware,
                "nodes": [of_node(one, case_names(group)) for one in group.nodes],
            }
            for group in fleet.groups
        ],
        "pairs": [
            {
                "first": pair.first.node.host,
                "second": pair.second.node.host,
                "slower_in_both": pair.both,
                "ratio": pair.ratio,
            }
            for pair in pairs(fleet.suspects)
        ],
    }


COLUMNS = (
    *("node", "verdict", "says", "started", "hardware", "case", "case_verdict", "trials"),
    *("seconds", "median_seconds", "mad", "ratio", "bytes_per_sample"),
)


def rows(group: Group) -> Iterator[dict[str, Any]]:
    """A row for each node and case; a node without a case to compare has one row."""
    names = case_names(group)
    for one in group.nodes:
        common = {"node": one.node.host, "verdict": one.verdict, "says": "; ".join(one.says)}
        common |= {"started": one.node.started, "hardware": group.hardware}
        for ratio in one.ratios:
            own = of_ratio(ratio, names)
            own |= {"case": own["name"], "case_verdict": own["verdict"]}
            own |= {"median_seconds": own["median"]}
            yield {**own, **common}
        if not one.ratios:
            yield dict(common)


def as_csv(fleet: Fleet) -> str:
    """A row for each node and case, the slowest of a node first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for group in fleet.groups:
        writer.writerows(rows(group))
    return text.getvalue()


def junit(fleet: Fleet) -> str:
    """A test suite with a case for each node; one that cannot be compared is skipped."""
    nodes = fleet.nodes
    suite = Xml.Element(
        "testsuite",
        name="watari fleet",
        tests=str(len(nodes) + len(fleet.unread)),
        failures=str(sum(one.verdict in BAD for one in nodes)),
        skipped=str(sum(one.verdict == UNKNOWN for one in nodes)),
        errors=str(len(fleet.unread)),
    )
    for group in fleet.groups:
        names = case_names(group)
        for one in group.nodes:
            name = group.hardware
            case = Xml.SubElement(suite, "testcase", classname=name, name=one.node.host, time="0")
            says = f"{one.verdict}: {'; '.join(one.says)}" if one.says else one.verdict
            slow = [r for r in one.ratios if r.verdict == SLOWER]
            text = "\n".join(f"{names[r.name]}: {r.ratio:.3f} of the median" for r in slow)
            if one.verdict in BAD:
                Xml.SubElement(case, "failure", message=says).text = text or None
            elif one.verdict == UNKNOWN:
                Xml.SubElement(case, "skipped", message=says)
    for why in fleet.unread:
        case = Xml.SubElement(suite, "testcase", classname="files", name=why, time="0")
        Xml.SubElement(case, "error", message=why)
    return document(suite)


def quoted(text: str) -> str:
    """A label's value in Prometheus' text format: escaped as JSON does backslash, quote and line
    feed."""
    return json.dumps(printable(text), ensure_ascii=False)


def started(one: Judged) -> float:
    """When its run began, in seconds since 1970."""
    return datetime.fromisoformat(one.node.started).timestamp()


METRICS: tuple[tuple[str, str, Callable[[Judged], float | None]], ...] = (
    (
        "watari_node_ok",
        "1 if the node is as fast as the others, 0 if it is slower, failed or lost something.",
        lambda one: None if one.verdict == UNKNOWN else float(one.verdict not in BAD),
    ),
    (
        "watari_node_worst_ratio",
        "Speed of the node in its worst case over the median of the nodes.",
        lambda one: one.worst.ratio if one.worst else None,
    ),
    (
        "watari_node_slower_cases",
        "Cases in which the node is slower than the others.",
        lambda one: float(len(one.slow)),
    ),
    (
        "watari_node_measured_timestamp_seconds",
        "When the newest run of the node began.",
        started,
    ),
)
BY_CASE: tuple[tuple[str, str, Callable[[Ratio], float]], ...] = (
    (
        "watari_case_seconds",
        "Time of a sample of this case on the node, median over its trials.",
        lambda ratio: ratio.level.median,
    ),
    (
        "watari_case_ratio",
        "Speed of the node in this case over the median of the nodes.",
        lambda ratio: ratio.ratio,
    ),
)


def prometheus(fleet: Fleet) -> str:
    """Gauges by node, and by node and case, for the text file collector of node_exporter."""
    lines: list[str] = []
    for name, says, value in METRICS:
        lines += [f"# HELP {name} {says}", f"# TYPE {name} gauge"]
        for one in fleet.nodes:
            number = value(one)
            if number is not None:
                lines.append(f"{name}{{node={quoted(one.node.host)}}} {number!r}")
    named = [(group, case_names(group)) for group in fleet.groups]
    for name, says, of in BY_CASE:
        lines += [f"# HELP {name} {says}", f"# TYPE {name} gauge"]
        for group, names in named:
            for one in group.nodes:
                host = quoted(one.node.host)
                for ratio in one.ratios:
                    labels = f"node={host},case={quoted(names[ratio.name])}"
                    lines.append(f"{name}{{{labels}}} {of(ratio)!r}")
    return "\n".join(lines) + "\n"
