"""Words that a user may guess, and the command that they stand for.

SAME has other names of a command that only shows something: such a word runs it. LEADS has words
for which the error names the command to type: they would measure, write a file, or need more words.
In their texts {files} stands for the files that were typed, else for RESULTS.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from watari import cases
from watari.case.axis import nearest
from watari.model import kinds

PROBE = (
    *("info", "topology", "topo", "env", "environment", "device", "devices", "gpu", "gpus"),
    *("gpuinfo", "hardware", "hw", "system", "sysinfo", "lscpu", "lstopo", "nvidia-smi"),
    *("detect", "status", "specs", "capabilities", "memories", "numa", "hmm", "ats", "nvlink"),
    *("devicequery", "hwloc", "rocm-smi", "numactl"),
)
LIST = ("cases", "case", "tests", "benchmarks", "ls", "catalog")
SAME = {
    **dict.fromkeys(PROBE, ("probe",)),
    **dict.fromkeys(LIST, ("list",)),
    **dict.fromkeys(("plans", "plan"), ("list", "plans")),
    **dict.fromkeys(("machines", "machine"), ("list", "machines")),
}

STYLED = next((name for name, case in cases.CASES.items() if case.styles), "CASE")
RUN = "watari run, in minutes; watari run --quick, a first look; watari run CASE, one case"
DOCTOR = "watari doctor names what this machine lacks, why, and the command that mends it"
NODES = "watari fleet RESULTS; docs/fleet.md has a job of Slurm and a test of ReFrame"
RANKS = "watari run copy from=device to=device:1, between two GPUs; collectives are not measured"
QUICK = "watari run --quick -o first.json, then watari report first.json"
PAGE = "watari report {files} -o report.html"
TABLE = "watari export {files} -o table.csv (or .md, .parquet)"
ANSWER = "watari advise {files}"
START = "watari probe shows this machine, watari run --quick measures it; no file to set up"
STYLES = f"watari list {STYLED} has memory styles"
AXES = f"watari list CASE, as in watari list {next(iter(cases.CASES.names()))}"
PROGRAM = "watari advise -- ./a.out; watari try -- ./a.out runs it in each memory style"


def spread(meanings: dict[str, str]) -> dict[str, str]:
    """A row for each word of `a b c`: text."""
    return {word: text for words, text in meanings.items() for word in words.split()}


LEADS = spread(
    {
        "bench benchmark measure start go test all standard execute launch": RUN,
        "quick fast demo try-it example examples tutorial first": QUICK,
        "show view open plot plots graph graphs draw figure figures chart charts html page": PAGE,
        "results result dashboard visualize visualise render display": PAGE,
        "stats statistics metrics numbers gui web server watch monitor live top": PAGE,
        "pdf svg png paper": "watari report {files} --format pdf -o figures",
        "table csv markdown md parquet excel convert dump to-csv tocsv pandas dataframe": TABLE,
        "summary summarize summarise answer best where explain recommend recommendation "
        "conclusion suggest which": ANSWER,
        "cat less print": PAGE,
        "multiply product": "watari gemm A.npy B.npy -o C.npy",
        "hyperfine time timeit": "watari try -- ./a.out; watari advise -- ./a.out",
        "nsys nsight nvprof ncu perf vtune rocprof gprof strace": "watari trace -- ./a.out; "
        "watari advise -- ./a.out",
        "fix mend why problem problems trouble troubleshoot diagnose diagnostics issues": DOCTOR,
        "nodes cluster slurm sbatch srun reframe": NODES,
        "nccl allreduce collective collectives mpi": RANKS,
        "ci junit prometheus": "watari check {files} --junit check.xml; of nodes: watari fleet",
        "diff cmp regression baseline versus vs": "watari compare {files}",
        "verify validate health acceptance accept assert": "watari check {files}",
        "init setup configure config begin": START,
        "install": "watari completion bash and watari man; the program itself is installed",
        "update upgrade": "pip install --upgrade watari",
        "styles style": STYLES,
        "axes axis options parameters params": AXES,
        "analyze analyse optimize optimise tune speedup bottleneck": PROGRAM,
        "model estimate simulate forecast": f"watari predict {STYLED} --machine NAME",
        "sweep": f"watari run {next(iter(cases.CASES.names()))} size=1MiB..1GiB",
        "resume continue": "watari run --resume FILE",
        "docs doc documentation manual about usage": "watari man | man -l -; watari COMMAND --help",
        "log logs history": "result files are in results/: watari report results/*.json",
        "clean": "watari uploads, for servers of objects; files of tests are in ~/.cache/watari",
    }
)
# options that no command has: of one command, or of every one
OPTIONS = {
    "--list": "watari list",
    "--gpus": "watari probe",
    "--devices": "watari probe",
    "-l": "watari list",
    "-L": "watari list",
    "-r": "watari run CASE",
    "-c": "watari run CASE",
    "--detailed": "watari list CASE",
    "--performance-report": "watari report RESULTS",
    "--warmup": "no sample is left out, the first ones are kept too",
    "--min-runs": "trials=N or samples=N, after a case",
    "--runs": "trials=N or samples=N, after a case",
    "-v": "watari --version, or watari COMMAND --help",
    "-V": "watari --version",
    "--quick": "watari run --quick",
    "--verbose": "watari probe shows all that it knows; a run shows each trial",
    "--quiet": "output goes to a file: -o FILE > /dev/null",
    "probe -o": "watari probe --json > probe.json",
    "probe --output": "watari probe --json > probe.json",
    "probe --gpus": "watari probe shows them all",
    "list --json": "watari list shows text; watari probe --json has this machine",
    "run --fast": "watari run --quick",
    "run --all": "watari run without a case is the standard plan, of every case",
    "run --gpu": "processor=gpu:1, after a case",
    "run --device": "processor=gpu:1, after a case",
    "run --case": "watari run CASE",
    "run --cases": "watari run CASE; several are a plan: watari run --plan FILE",
    "run --path": "folder=DIR, after case storage",
    "run --dir": "folder=DIR, after case storage",
    "run --timeout": "--budget TIME ends the run, --time-limit TIME a trial",
    "run -n": "trials=N or samples=N, after a case",
    "run -t": "--budget TIME, or threads=N after a case",
    "run --iterations": "samples=N, after a case",
    "run --export-markdown": "watari run -o x.json, then watari export x.json "
    "--export-markdown x.md",
    "run --output-format": "watari run -o x.json, then watari export x.json -o x.csv",
    "run --html": "watari run -o x.json, then watari report x.json",
    "run --config": "--plan FILE",
    "report --html": "watari report {files} -o report.html",
    "report --open": "watari report {files} -o report.html, then open that in a browser",
    "report --pdf": "watari report {files} --format pdf -o figures",
    "report --svg": "watari report {files} --format svg -o figures",
    "report --png": "watari report {files} --format png -o figures",
    "export --markdown": "watari export {files} -o run.md",
    "export --csv": "watari export {files} -o run.csv",
    "export --format": "the suffix says it: watari export {files} -o run.csv (.md, .parquet)",
    "export --json": "result files are JSON; watari export {files} -o run.csv",
    "export --export-csv": "watari export {files} -o run.csv",
    "predict --gpu": "--machine NAME; watari list machines has them",
    "predict --on": "--machine NAME; watari list machines has them",
    "predict --target": "--machine NAME; watari list machines has them",
    "advise --gpu": "--machine NAME; watari list machines has them",
    "compare --tolerance": "--threshold 5%",
    "compare --baseline": "the first file is the base: watari compare BASE NEW...",
    "compare --case": "every case is compared; watari compare {files} | grep CASE",
    "compare -o": "watari compare {files} --json > compared.json",
    "compare --output": "watari compare {files} --json > compared.json",
    "effort --json": "the table is text; watari effort CASE -o effort.svg draws it",
    "doctor --fix": "it changes nothing: watari doctor prints the commands",
    "compare --html": "watari report {files} -o both.html",
}
# what `watari run` takes for a case
RUN_WORDS = spread(
    {
        "quick fast first": "watari run --quick",
        "all standard everything benchmark bench tests": "watari run",
        "nccl allreduce collective collectives": RANKS,
        "devicequery": "watari probe",
        "gpu": "watari run copy processor=gpu; watari run CASE --help has its axes",
        "cpu": "watari run copy processor=cpu; watari run CASE --help has its axes",
    }
)
# what `watari run --plan` takes for a plan
PLANS = {
    **dict.fromkeys(("list", "help", "all"), "watari list plans"),
    **dict.fromkeys(("quick", "fast"), "watari run --quick"),
    **dict.fromkeys(("standard", "default"), "watari run, without --plan"),
}
# what `watari list` takes for a list
LISTED = {
    **dict.fromkeys(("cases", "all", "benchmarks", "tests", "run"), ""),
    **dict.fromkeys(("styles", "style"), STYLES),
    **dict.fromkeys(("axes", "axis", "options", "parameters"), AXES),
    **dict.fromkeys(PROBE, "watari probe"),
    **dict.fromkeys(("results", "runs"), "ls results/; watari report FILE shows one"),
}
# the purpose of commands, for a word that says nothing
PURPOSES = {
    "this machine": ("probe", "list", "doctor"),
    "measure": ("run", "try", "trace"),
    "read results": ("report", "export", "compare", "check", "fleet"),
    "decide": ("advise", "predict"),
}


def meant(arguments: Sequence[str]) -> list[str]:
    """The arguments with a command in place of another name of it."""
    first, *rest = arguments or ("",)
    if first == "help":
        return [*rest[:1], "--help"]
    if first == "version":
        return ["--version"]
    same = SAME.get(first.lower())
    if not same:
        return list(arguments)
    if same == ("probe",) and rest and rest[0] in cases.CASES:  # `info copy`
        return ["list", *rest]
    return [*same, *rest]


def filled(text: str, arguments: Sequence[str]) -> str:
    """A text of the tables above, with the files that were typed."""
    files = [word for word in arguments if os.path.isfile(word)]
    return text.replace("{files}", shlex.join(files) if files else "RESULTS")


def of_file(words: Sequence[str]) -> str:
    """The command for a file that was typed in place of one; empty for other words."""
    path = Path(words[0])
    if not path.is_file():
        return ""
    name, kind = shlex.quote(words[0]), kinds.kind(path)
    if kind in (kinds.RESULTS, kinds.TRACE):
        return f"'{name}' is {kind}: watari report {name}; watari advise {name}"
    if kind == kinds.PROFILE:
        return f"'{name}' is {kind}: watari advise --machine {name}"
    if kind == kinds.PROBE:
        return f"'{name}' is {kind}: watari profile RESULTS --for {name} -o machine.json"
    if path.suffix == ".toml":
        return (
            f"'{name}' may be a plan, or an imaginary machine: watari run --plan {name}; "
            f"watari advise --machine {name}"
        )
    if os.access(path, os.X_OK):
        whole = shlex.join(words)
        return f"'{name}' is a program: watari advise -- {whole}; watari try -- {whole}"
    return ""


def of_program(arguments: Sequence[str]) -> str:
    """Advice for a program that was typed where a command takes result files; else empty."""
    typed = arguments[1 : arguments.index("--")] if "--" in arguments else arguments[1:]
    words = [word for word in typed if os.path.isfile(word)]
    is_program = words and os.access(words[0], os.X_OK) and not kinds.kind(Path(words[0]))
    return of_file(words) if is_program else ""


def of_command(arguments: Sequence[str], commands: Collection[str]) -> str:
    """Advice for a first word that is no command; empty where nothing is known of it."""
    word = arguments[0]
    if word.lower() in LEADS:
        return f"no command '{word}'; here it is: {filled(LEADS[word.lower()], arguments)}"
    return of_file(arguments) or unknown(word, commands)


def unknown(word: str, commands: Collection[str]) -> str:
    """The line for a word that says nothing: the commands, by purpose."""
    parts = [
        f"{purpose}: {', '.join(name for name in names if name in commands)}"
        for purpose, names in PURPOSES.items()
    ]
    return (
        f"unknown command '{word}'{nearest(word, commands)}; {'; '.join(parts)}; all: watari --help"
    )


def of_option(command: str, option: str, arguments: Sequence[str]) -> str:
    """Advice for an option that a command has not; empty where nothing is known of it."""
    text = OPTIONS.get(f"{command} {option}", OPTIONS.get(option, ""))
    return f"no option '{option}': {filled(text, arguments)}" if text else ""


def of_run(words: Sequence[str], plans: Collection[str]) -> str:
    """Advice for what `watari run` takes for a case; empty where nothing is known of it."""
    word = words[0]
    if word.lower() in RUN_WORDS:
        return f"'{word}' is not a case; here it is: {RUN_WORDS[word.lower()]}"
    if word in plans:
        return f"'{word}' is a plan: watari run --plan {word}"
    several = [each for each in word.split(",") if each in cases.CASES]
    if len(several) > 1:
        commands = "; ".join(f"watari run {each}" for each in several)
        return f"a run has one case, or those of a plan: {commands}"
    return of_file(words)
