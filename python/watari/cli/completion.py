"""`watari completion SHELL`: a script with every command, option, case, axis and value in it.

The script starts no program while the user types, so that it is as fast as the shell. One table
lists the words that may follow other words; each shell has a script around it. A package stores the
output where the shell looks:

    watari completion bash > $PREFIX/share/bash-completion/completions/watari
    watari completion zsh  > $PREFIX/share/zsh/site-functions/_watari
    watari completion fish > $PREFIX/share/fish/vendor_completions.d/watari.fish
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import Axis, parse_boolean
from watari.cli.draw import FORMATS
from watari.cli.listing import LISTS
from watari.model.profiles import known
from watari.plan.plan import stored
from watari.plan.request import sets_both
from watari.results.table import BY

SCRIPTS = Path(__file__).with_name("completion_scripts")
SHELLS = {"bash": "watari.bash", "zsh": "watari.zsh", "fish": "watari.fish"}
OF_CASES = ("run", "predict", "advise")  # commands that take a case and its axes
Table = dict[str, list[str]]  # words that may follow the key; "": words after `watari`


def axis_values(axis: Axis) -> list[str]:
    """The words that an axis takes, where they are few."""
    return ["yes", "no"] if axis.parse is parse_boolean else list(axis.choices)


def option_values() -> Table:
    """The values of options and commands that take one of some words."""
    return {
        "run --plan": list(stored()),
        "report --format": list(FORMATS),
        "export --by": list(BY),
        "list": [*LISTS, *cases.CASES.names()],
        "effort": [name for name, case in cases.CASES.items() if case.styles],
        "completion": list(SHELLS),
        **{name: cases.CASES.names() for name in OF_CASES},
        **{f"{name} --machine": list(known.files()) for name in OF_CASES[1:]},
    }


def words_of_help(text: str) -> list[str]:
    """`cpu, gpu, gpu:1`: the values of an option whose help is a list of words."""
    found = text.split(", ")
    return found if len(found) > 1 and all(re.fullmatch(r"[a-z][\w:-]*", w) for w in found) else []


def options(command: Any) -> list[str]:
    """The long options of a command."""
    names = [name for p in command.params for name in p.opts if name.startswith("--")]
    return [*dict.fromkeys(names), *(["--help"] if "--help" not in names else [])]


def table(commands: Mapping[str, Any]) -> Table:
    """Everything that a shell completes."""
    found: Table = {"": [*commands, "--version", "--help"]}
    for name, command in commands.items():
        found[name] = options(command)
        for p in command.params:
            if values := words_of_help(getattr(p, "help", None) or ""):
                found |= {f"{name} {option}": values for option in p.opts}
    for key, words in option_values().items():
        found[key] = [*words, *found.get(key, [])]
    for name, case in cases.CASES.items():
        axes = [TRIALS, *case.axes.values()]
        typed = [f"{axis.name}=" for axis in axes]
        if sets_both(case):
            typed.insert(0, "memory=")
            found[f"run {name} memory="] = axis_values(case.axes["from"])
        for command in OF_CASES:
            found[f"{command} {name}"] = [*typed, *options(commands[command])]
        for axis in axes:
            if values := axis_values(axis):
                found[f"run {name} {axis.name}="] = values
    return found


def quoted(words: str) -> str:
    """The words in quotes, for a shell. Raises ValueError for a quote in them."""
    if "'" in words:
        raise ValueError(f"a quote in {words}")
    return f"'{words}'"


def branches(found: Table, shell: str) -> str:
    """The table as the branches of the shell's `case`."""
    if shell == "fish":
        lines = (
            f"        case {quoted(k)}\n            printf '%s\\n' {' '.join(map(quoted, w))}"
            for k, w in found.items()
        )
    else:
        lines = (f"        {quoted(k)}) echo {quoted(' '.join(w))} ;;" for k, w in found.items())
    return "\n".join(lines)


def script(shell: str, commands: Mapping[str, Any]) -> str:
    """The script for one of SHELLS."""
    text = (SCRIPTS / SHELLS[shell]).read_text()
    return text.replace("@BRANCHES@", branches(table(commands), shell))
