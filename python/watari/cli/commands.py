"""The command line: reads words and files, calls the part that does the work, sets the exit code.

0: every case ok or unsupported; 1: some case wrong or failed (with --strict: or unsupported); 2:
usage; 3: `compare` reports something slower, `check` something that fails; 4: `compare` reports
something lost; 130: interrupted (Ctrl-C, SIGTERM), completed trials are kept.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import dropwhile
from typing import Any, TextIO, cast

import typer

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import likely
from watari.case.vocabulary import ADVICE, counterpart
from watari.cli import guesses
from watari.cli.app import add_commands, app, modules
from watari.common.console import Printed
from watari.common.errors import FileError, UsageError, WatariError
from watari.common.files import reason
from watari.common.output import Output

SURPLUS = "Got unexpected extra argument"  # of the command line parser


def invoked(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Omits typer's own ending, which would handle
    Ctrl-C and broken pipes itself."""
    words = guesses.meant(arguments) or ["--help"]
    add_commands(words[0])
    command = typer.main.get_command(app)
    try:
        with command.make_context("watari", words) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code if arguments else UsageError.exit_code
    return 0


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits. A user's error is reported in one clear line."""
    stream, errors = (each or io.StringIO() for each in (sys.stdout, sys.stderr))  # None: closed
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")  # not every terminal has µ
    output = Output(stream)
    with (
        redirect_stdout(cast(TextIO, Printed(output))),
        redirect_stderr(cast(TextIO, Printed(Output(errors)))),
    ):
        code = exit_code(sys.argv[1:] if arguments is None else arguments)
        output.flush()
        if output.lost:
            print(f"watari: output cannot be written: {reason(output.lost)}", file=sys.stderr)
            code = code or WatariError.exit_code
    sys.exit(code)


def known_elsewhere(arguments: list[str]) -> str:
    """Advice on an unknown command: a case, or another tool's word; empty for a known one."""
    rest = list(dropwhile(lambda each: each.startswith("-"), arguments))
    if not rest or rest[0] in modules():
        return ""
    word = rest[0]
    if word in cases.CASES:
        return f"'{word}' is a case: watari run {shlex.join(arguments)}"
    here = cases.written(word)
    if here:
        return f"no command '{word}'; here it is: {here}"
    if word in ADVICE:
        return f"no command '{word}' ({ADVICE[word]})"
    return guesses.of_command(rest, modules())


def option_elsewhere(arguments: list[str], option: str) -> str:
    """Advice on an unknown option: an axis, which has no dashes, or another tool's word; empty for
    others."""
    word = option.lstrip("-")
    command = next((each for each in arguments if each in modules()), "")
    if here := guesses.of_option(command, option, arguments):
        return here
    if command in ("", "run") and (
        here := next(filter(None, map(cases.written, arguments[1:])), "")
    ):
        return f"no option '{option}'; here it is: {here}"
    named = next((cases.CASES[each] for each in arguments if each in cases.CASES), None)
    axes = {TRIALS.name: TRIALS, **named.axes} if named else {}
    word = word if word in axes else word.removesuffix("s")
    if word in axes:
        return f"no option '{option}'; an axis has no dashes: {word}=VALUE"
    other = counterpart(word, axes)
    dashes = "; an axis has no dashes" if "(here:" in other else ""
    if not other and not command:
        return f"no option '{option}'; watari --help lists the commands"
    return f"no option '{option}'{other}{dashes}" if other else ""


def refused(arguments: list[str], error: Any) -> str:
    """One line for an error of the command line parser."""
    option = getattr(error, "option_name", "")
    here = option_elsewhere(arguments, option) if option else ""
    here = here or known_elsewhere(arguments) or ("" if option else guesses.of_program(arguments))
    if near := getattr(error, "possibilities", None):
        error.possibilities = [each for each in near if likely(option.strip("-"), each.strip("-"))]
    context, message = getattr(error, "ctx", None), str(error.format_message())
    if here or not context:
        return here or message
    if option:
        return f"{message}; {context.command_path} --help lists those that it has"
    example = first_example(context.command.epilog or "")
    if message.startswith(SURPLUS):
        if named := next(filter(None, map(guesses.of_name, arguments[1:])), ""):
            return named
        shown = f"; an example: {example}" if example else ""
        return message + without(arguments, message) + shown
    return f"{message} See {context.command_path} --help" + f", as in {example}" * bool(example)


def without(arguments: list[str], message: str) -> str:
    """The command that was typed, less the words that it does not take."""
    extra = message.rpartition("(")[2].rstrip(")").split()
    rest = [each for each in arguments if each not in extra]
    return f"; without it: {shlex.join(['watari', *rest])}"


def first_example(epilog: str) -> str:
    """The first of the examples below a command's help."""
    return epilog.partition(": ")[2].partition(" · ")[0]


def current_folder() -> str:
    """The path of the current folder, or "." where the folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return "."


def exit_code(arguments: list[str]) -> int:
    """Runs the command, or prints in one line why it failed. Returns the exit code."""
    try:
        return invoked(arguments)
    except WatariError as error:
        text, code = str(error), error.exit_code
        if isinstance(error, FileError):
            text = guesses.of_refused(arguments, text) or text
    except OSError as error:
        name = current_folder() if error.filename == "." else error.filename
        named = f"{name}: " if name else ""
        text, code = f"{named}{reason(error)}", FileError.exit_code
        if not name and current_folder() == ".":
            text = "the folder in which watari was started is gone: change to another"
    except Exception as error:
        if not hasattr(error, "format_message"):  # an error of the command line parser has it
            raise
        text, code = refused(guesses.meant(arguments), error), UsageError.exit_code
    print(f"watari: {text}", file=sys.stderr)
    return code
