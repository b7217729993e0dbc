"""Help of commands as plain text: it reads the same on a terminal, through a pipe and in any
language, and a flag has no value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from watari.common.console import print_lines


def argument(parameter: Any) -> str:
    """`RESULTS...`, `[CASE AXIS=VALUE...]`: an argument as a usage line names it."""
    name = parameter.metavar or parameter.name.upper() + "..." * (parameter.nargs != 1)
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def show_help(ctx: Any, option: Any, asked: bool) -> None:
    """Prints the help line by line, and ends."""
    if asked and not ctx.resilient_parsing:
        print_lines(ctx.get_help())
        ctx.exit()


class LineByLine:
    """Help that the parser does not write as one text."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option --help."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option:
            option.callback = show_help
        return option


class Command(LineByLine, TyperCommand):
    """One command: its usage, arguments, options and example."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command's name."""
        return ["[OPTIONS]", *(argument(p) for p in self.params if is_argument(p))]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, each on a line that can be copied."""
        title, _, examples = (self.epilog or "").partition(": ")
        if examples:
            lines = "".join(f"  {each}\n" for each in examples.split(" · "))
            formatter.write(f"\n{title}:\n{lines}")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments that have a help text, then options."""
        named: list[Any] = [p for p in self.params if is_argument(p)]
        arguments = [(argument(p), p.help) for p in named if p.help]
        options = [p.get_help_record(ctx) for p in self.get_params(ctx) if not is_argument(p)]
        for title, rows in (("Arguments", arguments), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(LineByLine, TyperGroup):
    """`watari` itself: its commands, each with its whole summary."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A row a command."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, (command.help or "").partition("\n\n")[0])
                    for name, command in self.commands.items()
                ]
            )


def is_argument(parameter: Any) -> bool:
    """Whether a parameter is an argument, which has a place and no name."""
    return bool(parameter.param_type_name == "argument")
