"""Checks for people, as JSON and as JUnit XML, which test systems of sites read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from rich.console import Group, RenderableType
from rich.text import Text

from watari.common import tables
from watari.common.printable import printable
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item
from watari.report.check.items import exit_code
from watari.results.schema import Results

STYLES = {PASS: "green", FAIL: "bold red", LOST: "bold red", UNKNOWN: "yellow"}


def counts(items: Sequence[Item]) -> str:
    """`12 pass, 1 fail, 3 unknown`."""
    verdicts = Counter(item.verdict for item in items)
    return ", ".join(f"{verdicts[v]} {v}" for v in STYLES if verdicts[v])


def render(results: Results, items: Sequence[Item]) -> RenderableType:
    """A table, the likely causes of failures, and the number of each verdict."""
    table = tables.table(
        tables.word("check"), tables.text("what"), tables.word("verdict"), tables.text()
    )
    for item in items:
        style = STYLES[item.verdict]
        table.add_row(item.check, Text(item.name), Text(item.verdict, style), Text(item.says))
    causes = list(dict.fromkeys(cause for item in items for cause in item.causes))
    lines = [Text("likely causes"), *(Text(f"  {cause}") for cause in causes)] if causes else []
    failed = any(item.verdict == FAIL for item in items)
    if failed and not causes:
        lines = [Text("likely causes: none in the record of this machine")]
    machine = f"{results.machine.name}, {results.program.started}"
    return Group(Text(machine), table, *lines, Text(counts(items)))


def as_values(
    results: Results, items: Sequence[Item], fail_on_unknown: bool = False
) -> dict[str, Any]:
    """The checks of a run as plain values, for JSON."""
    return {
        "machine": results.machine.name,
        "hosts": results.machine.hosts,
        "started": results.program.started,
        "exit_code": exit_code(items, fail_on_unknown),
        "checks": [item.as_values() for item in items],
    }


def junit(results: Results, items: Sequence[Item]) -> str:
    """A test suite with a case for each item; an unknown item is skipped."""
    machine = results.machine
    return document(suite(machine.name, machine.hosts, results.program.started, items))


def document(root: Xml.Element) -> str:
    """A file of XML."""
    for element in root.iter():  # XML has no control characters, not even escaped ones
        element.attrib = {name: printable(text) for name, text in element.attrib.items()}
        element.text = "\n".join(map(printable, (element.text or "").split("\n"))) or None
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, "unicode") + "\n"


def suite(name: str, hosts: Sequence[str], started: str, items: Sequence[Item]) -> Xml.Element:
    """The test suite of one machine."""
    verdicts = Counter(item.verdict for item in items)
    suite = Xml.Element(
        "testsuite",
        name=f"watari check {name}",
        tests=str(len(items)),
        failures=str(verdicts[FAIL] + verdicts[LOST]),
        skipped=str(verdicts[UNKNOWN]),
        errors="0",
        timestamp=started[:19],
        hostname=hosts[0] if hosts else "",
    )
    for item in items:
        case = Xml.SubElement(suite, "testcase", classname=item.check, name=item.name, time="0")
        if item.verdict in (FAIL, LOST):
            Xml.SubElement(case, "failure", message=item.says).text = "\n".join(item.causes)
        elif item.verdict == UNKNOWN:
            Xml.SubElement(case, "skipped", message=item.says)
        else:
            Xml.SubElement(case, "system-out").text = item.says
    return suite
