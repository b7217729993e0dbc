"""`watari man`: the manual page in roff, from the commands, cases and axes of this version.

A package stores the output as $PREFIX/share/man/man1/watari.1; `watari man | man -l -` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import Axis
from watari.cli.case_help import example

EXIT = {
    "0": "every case is ok or unsupported; nothing is slower, lost or failed",
    "1": "a case is wrong or failed; with --strict also if one is unsupported",
    "2": "the command line, a plan or a file cannot be used",
    "3": "compare reports something slower, or check something that fails",
    "4": "compare reports the loss of something that was ok",
    "130": "interrupted; completed trials are kept",
}
FILES = {
    "results/<machine>-<date>-<time>.json": "results of a run without -o",
    "~/.cache/watari": "test files, kernels, sky views and the code of reports, used again",
}


def text(words: str) -> str:
    """Words escaped for roff: no line begins a request, and a hyphen stays a hyphen."""
    plain = " ".join(words.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def entry(term: str, words: str) -> str:
    """A term and what it means."""
    return f".TP\n.B {text(term)}\n{text(words)}"


def option(parameter: Any) -> str:
    """An option with the name of its value, as an entry."""
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper()}"
    return entry(", ".join(reversed(parameter.opts)) + value, parameter.help or "")


def command(name: str, of: Any) -> str:
    """A command with its options and example."""
    arguments = [p for p in of.params if p.param_type_name == "argument"]
    shown = " ".join(p.metavar or p.name.upper() for p in arguments)
    options = [option(p) for p in of.params if p.param_type_name == "option"]
    lines = [f".SS watari {text(f'{name} {shown}'.strip())}", text(of.help or "")]
    return "\n".join([*lines, *options, ".PP", text(of.epilog or "")])


def axis(of: Axis) -> str:
    """An axis, its choices and its default."""
    choices = f" ({', '.join(of.choices)})" if of.choices else ""
    return entry(f"{of.name}=", f"{of.summary}{choices}; default: {of.default_text}")


def case(name: str) -> str:
    """A case, its axes and its example."""
    of = cases.CASES[name]
    axes = [axis(each) for each in (TRIALS, *of.axes.values())]
    return "\n".join(
        [f".SS {name}", text(of.summary), *axes, ".PP", text(f"Example: {example(of)}")]
    )


def section(name: str, parts: Iterable[str]) -> str:
    """A section of the page."""
    return "\n".join([f".SH {name}", *parts])


def page(commands: Mapping[str, Any], version: str) -> str:
    """The manual page."""
    head = f'.TH WATARI 1 "" "watari {version}" "User Commands"'
    about = "measure how data crosses the memories of a GPU machine"
    parts = [
        section("NAME", [f"watari \\- {about}"]),
        section("SYNOPSIS", [".B watari", text("COMMAND [OPTIONS] [ARGUMENTS]")]),
        section("COMMANDS", [command(name, of) for name, of in commands.items()]),
        section(
            "CASES",
            [
                text(
                    "A sweep: size=4KiB,1GiB, or size=1MiB..1GiB, each size twice the one before."
                ),
                *map(case, cases.CASES),
            ],
        ),
        section("EXIT STATUS", [entry(code, words) for code, words in EXIT.items()]),
        section("FILES", [entry(name, words) for name, words in FILES.items()]),
    ]
    return "\n".join([head, *parts]) + "\n"
