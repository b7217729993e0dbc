"""`watari profile`, `watari predict` and `watari advise`: the model of a machine and of a
program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watari.cases import CASES
from watari.cli import answers
from watari.cli.app import app, show, this_machine
from watari.cli.asked import given
from watari.cli.draw import STYLED, drawing
from watari.common import written
from watari.common.console import print_json
from watari.common.errors import UsageError
from watari.common.written import Written

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CASE AXIS=VALUE... | TRACE] [RESULTS]",
        help="a case, or a trace file; results of the machine",
    ),
]
Advised = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CASE AXIS=VALUE... | TRACE | -- PROGRAM...] [RESULTS]",
        help="a case, a trace file, or a program after --; results of the machine",
    ),
]
On = Annotated[
    str | None,
    typer.Option("--machine", metavar="NAME|FILE", help="name, profile or results of a machine"),
]
Measured = Annotated[
    list[Path] | None, typer.Option("--results", metavar="FILE", help="results of this machine")
]
Processes = Annotated[
    int,
    typer.Option(
        min=1,
        max=4096,
        metavar="N",
        help="processes that share GPU and link, each with its own data",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="as JSON, for programs")]


@app.command(
    epilog="Examples: watari profile run.json -o machine.json · "
    "watari profile h200.json --for h100-probe.json -o h100.json"
)
def profile(
    results: Annotated[
        list[Path],
        typer.Argument(help="result files; with --for also a machine profile", show_default=False),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="the machine profile", metavar="FILE")
    ],
    probe: Annotated[
        Path | None,
        typer.Option(
            "--for",
            metavar="PROBE",
            help="predict another machine, from its `watari probe --json`",
        ),
    ] = None,
) -> None:
    """Fits a machine profile to results: rates by size, faults, prefetches, allocation. With --for
    it scales them to the limits of a machine that was not measured."""
    from watari.model import machine, render
    from watari.model.profiles import choose, fit, scaled

    read = [*results, *([probe] if probe else [])]
    written.check([Written("-o", output, written.MACHINE)], read)
    if probe:
        other = scaled.read_probe(probe)
        names = [path.name for path in (*results, probe)]
        fitted = scaled.scaled(choose.measured(results), other, names)
    else:
        fitted = fit.fit(choose.read(results), [path.name for path in results])
    machine.write(fitted, output)
    show(render.curves(fitted))
    if probe:
        print(scaled.says(fitted))
    for refused in fitted.refused:
        print(f"refused: {refused.what}: {refused.why}")
    print(f"machine profile: {output}")


@app.command(
    epilog=f"Examples: watari predict {STYLED} --machine gh200 · "
    f"watari predict {STYLED} --machine machine.json --why · watari predict trace.json"
)
def predict(
    words: Words = None,
    on: On = None,
    results: Measured = None,
    processes: Processes = 1,
    why: Annotated[bool, typer.Option("--why", help="show what each second is for")] = False,
    as_json: AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="a figure: .svg, .pdf or .png"),
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option("--beside", metavar="FILE", help="results to show beside the prediction"),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option("--plan", metavar="NAME|FILE", help="all its cases on several ranks"),
    ] = None,
) -> None:
    """Predicts the seconds of a case or trace in each memory style, on this or another machine; on
    several ranks those of a sample, from results of one and two ranks."""
    from watari.model import asked, render
    from watari.model.predict import derivation
    from watari.model.profiles import choose

    words, measured_here = asked.machine_files(words or [])
    results = [*(results or []), *measured_here]
    if plan or asked.on_ranks(words):
        if on or why or output or processes > 1:
            raise UsageError("--machine, --why, -o and --processes are for one rank")
        predict_ranks(words, plan, results, beside or [], as_json)
        return
    if words and answers.is_replayed(words):
        predict_program(words, on, results, why or bool(output or beside) or processes > 1, as_json)
        return
    if output and as_json:
        raise UsageError("-o is a figure; --json goes to the output stream")
    if output:
        read: list[str | Path] = [*words, *([on] if on else []), *(results or []), *(beside or [])]
        written.check([Written("-o", output, written.FIGURE)], read)
        drawing("page")  # an error in one line where a package is missing
    if not words:
        described = "".join(f"{path} describes a machine. " for path in measured_here[:1])
        raise UsageError(
            f"{described}predict what? a case ({', '.join(CASES.names())}) or a trace file"
        )
    asked.require_known(words)
    machine, where = asked.on_machine(on, results, this_machine)
    wanted = asked.programs(words, machine, given, processes)
    measured = render.measured(choose.read(beside or []))
    if as_json:
        print_json([render.values(t, p, machine, measured) for t, p, _ in wanted])
        return
    print(where)
    for title, predictions, _ in wanted:
        if any(not one.reason for one in predictions):
            show(render.table(title, predictions, measured))
        for line in render.notes(predictions):
            print(line)
        for one in predictions if why else ():
            for line in derivation(one, machine):
                print(f"{one.style}: {line}")
    if output:
        from watari.model import figure

        figure.write([(t, p) for t, p, _ in wanted], measured, output)
        print(f"figure: {output}")


def predict_ranks(
    words: list[str], plan: str | None, results: list[Path], beside: list[Path], as_json: bool
) -> None:
    """A case on several ranks, or all such cases of a plan."""
    from watari.cli.asked import planned
    from watari.model import foretold, ranks
    from watari.model.profiles import choose
    from watari.results.measured import measurements

    if not results:
        raise UsageError(
            "a prediction for several ranks needs measurements of one and of two: name result files"
        )
    read = choose.read(results)
    machine = read[-1].machine.model_dump(mode="json", by_alias=True)
    asked = planned(words, plan, machine).requests
    wanted = [r for r in asked if int(r.parameters.get("ranks", 1)) > 2]
    if not wanted:
        raise UsageError("no case has more than two ranks: one and two are measured")
    known = ranks.Known(measurements(read))
    found = [ranks.foretell(request, known) for request in wanted]
    seen = ranks.measured_seconds(measurements(choose.read(beside)) if beside else [])
    if as_json:
        print_json([foretold.values(one, seen) for one in found])
        return
    names = ", ".join(dict.fromkeys(r.machine.name for r in read))
    print(f"{names}, from one and two ranks of {', '.join(path.name for path in results)}")
    show(foretold.table([one for one in found if not one.reason], seen))
    for line in foretold.notes(found):
        print(line)


def predict_program(
    words: list[str], on: str | None, results: list[Path], more: bool, as_json: bool
) -> None:
    """The memory styles of a traced program."""
    from watari.model.replay.answer import says, values

    if more:
        raise UsageError("--why, --beside, --processes and -o are for a case, not for a trace")
    found, where = answers.of_trace(Path(words[0]), on, results)
    if as_json:
        print_json({**values.of(found), "machine": where})
        return
    answers.show(where, says.styles_alone(found))


@app.command(
    epilog=f"Examples: watari advise · watari advise {STYLED} --machine gh200 · "
    "watari advise run.json · watari advise trace.json -o figure.svg · "
    "watari advise --confirm -- ./a.out 1000"
)
def advise(
    words: Advised = None,
    on: On = None,
    results: Measured = None,
    processes: Processes = 1,
    as_json: AsJson = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="for a program: run the best changes and styles")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="a figure: .svg, .pdf or .png"),
    ] = None,
) -> None:
    """Says where a program's time goes and what would help; for a case the best memory style."""
    from watari.model import asked, render
    from watari.model.advise import advise as advice_on

    if words and (answers.is_program(words) or answers.is_replayed(words)):
        if processes > 1:
            raise UsageError("--processes is for a case")
        answers.advise(words, on, results or [], answers.Wanted(as_json, confirm, output))
        return
    if output:
        raise UsageError("-o draws the answer for a program, or for a trace of `watari trace`")
    words, measured_here = asked.machine_files(words or [])
    results = [*(results or []), *measured_here]
    if confirm:
        raise UsageError("--confirm runs a program: watari advise --confirm -- ./a.out")
    if not words:
        if processes > 1:
            raise UsageError("--processes is for a case or trace: write one")
        where, sentences = asked.general(on, results, this_machine)
        if as_json:
            rows = [render.sentence(s) for s in sentences]
            print_json({"from": where, "answer": rows})
            return
        print(where)
        for sentence in sentences:
            print("", sentence.line(), sep="\n")
        return
    asked.require_known(words)
    machine, where = asked.on_machine(on, results, this_machine)
    found = [
        (title, advice_on(predictions, machine, asked.statements(case)))
        for title, predictions, case in asked.programs(words, machine, given, processes)
    ]
    if as_json:
        print_json([render.advice_values(t, a) for t, a in found])
        return
    print(where)
    for title, advice in found:
        if advice.ranked:
            show(render.advice(title, advice))
        for line in render.advice_lines(advice):
            print(line)
