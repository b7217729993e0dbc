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
from watari.cli.guessed_options import OPTIONS
from watari.model import kinds

PROBE = (
    *("info", "topology", "topo", "env", "environment", "device", "devices", "gpu", "gpus"),
    *("gpuinfo", "hardware", "hw", "system", "sysinfo", "lscpu", "lstopo", "nvidia-smi"),
    *("detect", "status", "specs", "capabilities", "memories", "numa", "hmm", "ats", "nvlink"),
    *("devicequery", "hwloc", "rocm-smi", "numactl", "numastat", "lspci", "lshw", "clinfo"),
    *("likwid-topology", "gpustat", "nvidia-settings", "specification", "machine-info"),
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
WATCH = "watari probe shows this machine once; watari trace -- ./a.out records a program"
MERGE = "result files are read together: watari report {files} -o report.html, or watari export"
PUBLIC = "watari report {files} --anonymous -o public.html, a page to send; nothing is sent"
NODE = "watari check measures this machine and judges it; watari doctor says what is missing"
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
        "stats statistics metrics numbers gui web server": PAGE,
        "watch monitor live top htop nvtop nvitop dmon pmon": WATCH,
        "pdf svg png paper": "watari report {files} --format pdf -o figures",
        "table csv markdown md parquet excel convert dump to-csv tocsv pandas dataframe": TABLE,
        "summary summarize summarise answer best where explain recommend recommendation "
        "conclusion suggest which": ANSWER,
        "cat less print": PAGE,
        "head tail jq query select filter grep sort": TABLE,
        "save merge join concat combine": MERGE,
        "share upload submit publish anonymize anonymise send": PUBLIC,
        "multiply product": "watari gemm A.npy B.npy -o C.npy",
        "hyperfine time timeit": "watari try -- ./a.out; watari advise -- ./a.out",
        "nsys nsight nvprof ncu perf vtune rocprof gprof strace likwid-perfctr likwid-pin "
        "compute-sanitizer": "watari trace -- ./a.out; watari advise -- ./a.out",
        "python python3 julia mpirun mpiexec": "watari advise -- {words}; watari try -- {words}",
        "roofline limits limit ceiling": "watari check {files} compares rates with the limits of "
        "the hardware; watari probe shows these",
        "self-test selftest ping hello": "watari run --quick measures each case once, and verifies "
        "its result",
        "fix mend why problem problems trouble troubleshoot diagnose diagnostics issues": DOCTOR,
        "nodes cluster slurm sbatch srun reframe": NODES,
        "nccl allreduce collective collectives mpi": RANKS,
        "ci junit prometheus": "watari check {files} --junit check.xml; of nodes: watari fleet",
        "diff cmp regression baseline versus vs": "watari compare {files}",
        "verify validate health acceptance accept assert": "watari check {files}",
        "dcgmi dcgm dcgmproftester diag burn burn-in stress gpu-burn": NODE,
        "init setup configure config begin": START,
        "install": "watari completion bash and watari man; the program itself is installed",
        "update upgrade": "make wheel, then pip install --upgrade dist/watari-*.whl",
        "styles style": STYLES,
        "axes axis options parameters params": AXES,
        "analyze analyse optimize optimise tune speedup bottleneck": PROGRAM,
        "model estimate simulate forecast": f"watari predict {STYLED} --machine NAME",
        "sweep": f"watari run {next(iter(cases.CASES.names()))} size=1MiB..1GiB",
        "resume continue": "watari run --resume FILE",
        "ps jobs cancel kill stop pause abort": "Ctrl-C ends a run and keeps its trials; "
        "watari run --resume FILE resumes it",
        "commands subcommands": "watari --help",
        "license licence copyright": "Apache License 2.0; the file LICENSE comes with the package",
        "docs doc documentation manual about usage": "watari man | man -l -; watari COMMAND --help",
        "log logs history": "result files are in results/: watari report results/*.json",
        "clean cache purge": "watari uploads, for servers of objects; files of tests are in "
        "~/.cache/watari",
    }
)
INTERPRETERS = ("python", "python3", "julia", "mpirun", "mpiexec")
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
READERS = ("report", "compare", "check", "export", "fleet")  # of result files
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
        return [*(word for word in rest[:1] if word != "all"), "--help"]
    if first == "version":
        return ["--version"]
    same = SAME.get(first.lower())
    if not same:
        return list(arguments)
    if same == ("probe",) and rest and rest[0] in cases.CASES:  # `info copy`
        return ["list", *rest]
    return [*same, *rest]


def filled(text: str, arguments: Sequence[str]) -> str:
    """A text of the tables above, with the files or words that were typed."""
    files = [word for word in arguments if os.path.isfile(word)]
    text = text.replace("{words}", shlex.join(arguments))
    return text.replace("{files}", shlex.join(files) if files else "RESULTS")


def of_name(word: str) -> str:
    """Advice for the name of a plan or of a published machine; empty for another word."""
    from watari.model.profiles import known
    from watari.plan.plan import stored

    if word in stored():
        return f"'{word}' is a plan: watari run --plan {word} --dry-run"
    if word.lower() in known.files():
        return f"'{word}' is a machine: watari predict {STYLED} --machine {word.lower()}"
    return ""


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
    if path.suffix in (".cu", ".cuh"):
        return f"'{name}' is a source: watari run kernel source={name}"
    words = ["python", *words] if path.suffix == ".py" else list(words)
    if os.access(path, os.X_OK) or path.suffix == ".py":
        whole = shlex.join(words)
        return f"'{name}' is a program: watari advise -- {whole}; watari try -- {whole}"
    return ""


def of_refused(arguments: Sequence[str], text: str) -> str:
    """Advice where a file that was typed is no result; empty where nothing is known of it."""
    if not arguments or arguments[0] not in READERS:
        return ""
    refused = (word for word in arguments[1:] if text.startswith(f"{word}: "))
    word = next(filter(os.path.isfile, refused), "")
    read = {kinds.RESULTS} | ({kinds.TRACE} if arguments[0] == "report" else set())
    here = of_file([word]) if word and kinds.kind(Path(word)) not in read else ""
    return f"no result file: {here}" if here else ""


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
    text = OPTIONS.get(f"{command} {option}", "")
    if not text and command not in ("try", "exec"):  # these take the words of a program
        text = OPTIONS.get(option, "")
    return f"no option '{option}': {filled(text, arguments)}" if text else ""


def of_run(words: Sequence[str], plans: Collection[str]) -> str:
    """Advice for what `watari run` takes for a case; empty where nothing is known of it."""
    word = words[0]
    if word in INTERPRETERS:
        return filled(f"'{word}' is a program, not a case: {LEADS[word]}", words)
    if word.lower() in RUN_WORDS:
        return f"'{word}' is not a case; here it is: {RUN_WORDS[word.lower()]}"
    if word in plans:
        return f"'{word}' is a plan: watari run --plan {word}"
    several = [
        f"watari run {each}" if each in cases.CASES else cases.written(each)
        for each in word.split(",")
    ]
    if len(several) > 1 and all(several):
        commands = "; ".join(several)
        return f"a run has one case, or those of a plan: {commands}"
    return of_file(words)
