"""The man page, watari.1, generated from the commands, their options, the cases and their axes.

Packagers install it with `watari man > watari.1`; users read it with `man -l <(watari man)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watari import cases

EXIT_CODES = (
    ("0", "every case ok or unsupported"),
    ("1", "some case wrong or failed; with --strict also unsupported"),
    ("2", "a word, option or file that the command line may not have"),
    ("3", "compare reports something slower, check something that fails"),
    ("4", "compare reports something lost: ok in BASE, and not in NEW"),
    ("130", "interrupted; what was measured is kept"),
)


def escaped(text: str) -> str:
    """Text as roff has it: no control lines, dashes that can be copied."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def listed(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Tagged paragraphs."""
    return [
        line for tag, text in rows for line in (".TP", f".B {escaped(tag)}", escaped(text or ""))
    ]


def of_command(name: str, command: Any) -> list[str]:
    """A command: what it does, its options, an example."""
    rows = []
    for p in command.params:
        shown = ", ".join(o for o in p.opts if o.startswith("-")) or (p.metavar or p.name).upper()
        rows.append((shown, getattr(p, "help", "") or ""))
    example = [".PP", escaped(command.epilog)] if command.epilog else []
    return [f".SS watari {escaped(name)}", escaped(command.help or ""), *listed(rows), *example]


def page(commands: Mapping[str, Any], version: str) -> str:
    """The whole page."""
    lines = [
        f'.TH WATARI 1 "" "watari {version}" "User Commands"',
        ".SH NAME",
        "watari \\- measures how data crosses the memories of a GPU machine",
        ".SH SYNOPSIS",
        ".B watari",
        ".I COMMAND [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    for name, command in commands.items():
        if not command.hidden:
            lines += of_command(name, command)
    lines.append(".SH CASES AND THEIR AXES")
    for case in cases.CASES.values():
        lines += [f".SS {case.name}", escaped(case.summary)]
        lines += listed(
            (
                f"{axis.name}=",
                f"{axis.summary}{' (' + ', '.join(axis.choices) + ')' if axis.choices else ''} "
                f"[{axis.default_text}]",
            )
            for axis in case.axes.values()
        )
    lines += [".SH EXIT STATUS", *listed(EXIT_CODES)]
    return "\n".join(lines) + "\n"
