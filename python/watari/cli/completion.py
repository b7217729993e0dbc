"""Completion for bash, zsh and fish: the shell asks `watari complete-words`, which has tables.

Commands, options, cases, axes with their values, stored plans; files are the shell's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from watari import cases
from watari.case.axes import TRIALS
from watari.plan.plan import stored

SCRIPTS = {
    "bash": """# watari completion bash > ~/.local/share/bash-completion/completions/watari
_watari() {
    local line="${COMP_LINE:0:COMP_POINT}" words current
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current="${words[-1]}"
    mapfile -t COMPREPLY < <(watari complete-words -- "${words[@]:1}" 2>/dev/null)
    # bash takes = for the end of a word: what stands before it is not inserted again
    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*=}"}"}")
    fi
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _watari watari
""",
    "zsh": """#compdef watari
# watari completion zsh > a folder of $fpath, as _watari
local -a found
found=("${(@f)$(watari complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ -n "${found[1]}" ]]; then
    compadd -S '' -- ${(M)found:#*=}
    compadd -- ${found:#*=}
else
    _files
fi
""",
    "fish": """# watari completion fish > ~/.config/fish/completions/watari.fish
function __watari
    set -l words (commandline -opc) (commandline -ct)
    watari complete-words -- $words[2..-1] 2>/dev/null
end
complete -c watari -a '(__watari)'
""",
}


def options(command: Any) -> list[str]:
    """The options of a command, long ones first."""
    return [name for p in command.params for name in p.opts if name.startswith("-")] + ["--help"]


def of_axes(case: str, word: str, given: Sequence[str]) -> list[str]:
    """Axes that were not given yet; after `axis=` its values, after a comma another one."""
    axes = {"trials": TRIALS, **cases.CASES[case].axes}
    name, equals, value = word.partition("=")
    if not equals:
        used = {text.partition("=")[0] for text in given}
        return [f"{axis}=" for axis in axes if axis not in used]
    before = value[: value.rfind(",") + 1]
    choices = axes[name].choices if name in axes else ()
    return [f"{name}={before}{choice}" for choice in choices]


def candidates(words: Sequence[str], commands: Any) -> list[str]:
    """What may stand in place of the last word; nothing where a file is wanted."""
    *before, word = words or [""]
    if not before:
        found = [name for name, command in commands.items() if not command.hidden]
        found += ["--version", "--help"]
    else:
        name, *rest = before
        if name not in commands:
            return []
        if rest and rest[-1] == "--plan":
            found = list(stored())
        elif word.startswith("-"):
            found = options(commands[name])
        elif name == "run":
            case = next((text for text in rest if text in cases.CASES), None)
            found = of_axes(case, word, rest) if case else list(cases.CASES)
        elif name == "list":
            found = [*cases.CASES, "plans"]
        elif name == "effort":
            found = [c.name for c in cases.CASES.values() if c.styles]
        elif name == "completion":
            found = list(SCRIPTS)
        else:
            found = []
    return [text for text in found if text.startswith(word)]
