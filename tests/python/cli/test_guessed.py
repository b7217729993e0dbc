"""What users try without reading: the field's words, help of a case, dry runs, completion, man."""

import re
import shutil
import subprocess
import sys

import fake_cli
import pytest

from watari import cases
from watari.cli import commands, completion, dry_run
from watari.common.errors import UsageError
from watari.plan.request import resolve
from watari.results import schema
from watari.run import launch


@pytest.fixture
def watari(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(*words, trials=True):
        arguments = list(map(str, words))
        arguments += fake_cli.launcher("good") if trials and arguments[0] == "run" else []
        with pytest.raises(SystemExit) as ended:
            commands.main(arguments)
        return ended.value.code, *capsys.readouterr()

    return command


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "copy", "host=1GiB"], "pinned or pageable"),
        (["run", "h2d"], "run copy from=pinned to=device"),
        (["run", "d2h"], "run copy from=device to=pinned"),
        (["run", "storage", "bs=4KiB"], "axis block"),
        (["run", "storage", "iodepth=4"], "axis depth"),
        (["run", "storage", "numjobs=4"], "axis threads"),
        (["run", "triad"], "memory=pageable processor=cpu"),
        (["run", "stream"], "memory=pageable processor=cpu"),
        (["run", "export"], "watari export RESULTS"),
        (["run", "copy", "memory=host"], "pinned or pageable"),
        (["report", "x.json", "--format", "csv"], "watari export RESULTS"),
    ],
)
def test_words_of_the_field_are_answered_in_ours(words, says, watari):
    code, _, errors = watari(*words, trials=False)
    assert code == 2
    assert "(here: " in errors
    assert says in errors


def test_what_the_advice_names_is_there():
    """Every `run CASE axis=value` of the table of words can be resolved."""
    from watari.case.field_words import WORDS

    machine = fake_cli.synthetic.gpu_machine()
    named = [
        m
        for text in WORDS.values()
        for m in re.findall(r"run (\w+)((?: \w+=[\w-]+(?::\d)?)*)", text)
    ]
    assert len(named) > 12
    for case, axes in named:
        assert resolve(case, dict(word.split("=") for word in axes.split()), machine)


def test_an_error_names_the_axis_that_was_typed(watari):
    code, _, errors = watari("run", "copy", "memory=pined")
    assert code == 2
    assert "copy: memory: unknown value 'pined' (did you mean 'pinned'?)" in errors


@pytest.mark.parametrize("case", list(cases.CASES))
def test_help_of_a_case_has_its_axes_and_an_example_that_works(case, watari):
    code, out, _ = watari("run", case, "--help", trials=False)
    assert code == 0
    for axis in cases.CASES[case].axes.values():
        assert f"  {axis.name} " in out
        assert f"[{axis.default_text}]" in out
    example = re.search(rf"Example: watari run {case} (.*) -o {case}.json", out)[1]
    machine = fake_cli.synthetic.gpu_machine()
    assert resolve(case, dict(word.split("=") for word in example.split()), machine)


def test_help_of_run_stays(watari):
    code, out, _ = watari("run", "--help", trials=False)
    assert (code, "--dry-run" in out, "Example: watari run copy" in out) == (0, True, True)


def test_a_dry_run_says_what_would_run_and_runs_nothing(watari, tmp_path):
    words = ["run", "copy", "processor=cpu", "size=1MiB,1GiB", "trials=4", "samples=10"]
    code, out, _ = watari(*words, "--dry-run")
    assert code == 0
    assert "2 cases, 8 trials, 86 GB moved" in out  # 4 trials of 10 x 2 x (1 GiB + 1 MiB)
    assert out.rstrip().endswith("no disk")
    assert list(tmp_path.iterdir()) == []
    code, out, _ = watari("run", "storage", "size=64MiB", "processor=cpu", "--dry-run")
    assert (code, "67.1 MB of disk" in out) == (0, True)
    code, out, _ = watari("run", "--dry-run")
    assert (code, "this machine does not have it" in out) == (0, True)


def test_a_quick_run_has_one_short_trial(watari, tmp_path):
    words = ["run", "copy", "processor=cpu", "size=1MiB", "trials=4", "-o", "run.json"]
    assert watari(*words, "--quick")[0] == 0
    (case,) = schema.read(tmp_path / "run.json").cases
    assert (len(case.trials), case.parameters["samples"]) == (1, dry_run.QUICK_SAMPLES)


def test_a_folder_that_is_not_there_is_refused(watari, tmp_path):
    words = ["run", "storage", "engine=posix", "processor=cpu", "size=1MiB", "trials=1"]
    code, _, errors = watari(*words, f"folder={tmp_path}/absent")
    assert code == 2
    assert f"folder={tmp_path}/absent: no such folder" in errors
    assert not (tmp_path / "absent").exists()
    (tmp_path / "there").mkdir()
    assert watari(*words, f"folder={tmp_path}/there")[0] == 0
    commands.require_folders(resolve("storage", {}, fake_cli.machine()))  # the default one is made
    with pytest.raises(UsageError, match="no such folder"):
        commands.require_folders(resolve("storage", {"folder": "/absent"}, fake_cli.machine()))


@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        (["ru"], ["run"], ["report"]),
        (["c"], ["compare", "check", "completion"], ["complete-words"]),
        (["run", "co"], ["copy"], ["touch"]),
        (["run", "--pl"], ["--plan"], []),
        (["run", "--plan", "gh"], ["gh200-sam"], []),
        (["run", "copy", "size=1", "s"], ["samples=", "streams="], ["size="]),
        (["run", "copy", "from="], ["from=pinned", "from=device"], []),
        (["run", "copy", "from=pinned,d"], ["from=pinned,device"], ["from=device"]),
        (["list", "p"], ["plans"], ["copy"]),
        (["compare", "--th"], ["--threshold"], []),
        (["completion", ""], ["bash", "zsh", "fish"], []),
        (["report", ""], [], ["copy"]),
        (["nothing", ""], [], ["copy"]),
    ],
)
def test_completion(words, some, none):
    found = completion.candidates(words, commands.command_table())
    assert set(some) <= set(found)
    assert not set(none) & set(found)


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_completion_scripts_are_of_their_shell(shell, watari, tmp_path):
    code, script, _ = watari("completion", shell)
    assert code == 0
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    (tmp_path / "script").write_text(script)
    assert subprocess.run([shell, "-n", tmp_path / "script"]).returncode == 0


def test_bash_completes_values_of_axes(watari, tmp_path):
    """In a bash, whose words end at `=`."""
    _, script, _ = watari("completion", "bash")
    program = f'watari() {{ {sys.executable} -m watari "$@"; }}\n{script}\n'
    program += "COMP_LINE='watari run copy from=pin' COMP_POINT=24; _watari; "
    program += "printf '%s\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["pinned"]
    assert watari("completion", "tcsh")[0] == 2


def test_the_man_page_has_every_command_option_case_and_axis(watari):
    code, page, _ = watari("man")
    assert code == 0
    plain = page.replace("\\-", "-")
    for name, command in commands.command_table().items():
        assert (f".SS watari {name}\n" in plain) == (not command.hidden)
    for word in ("--threshold", "--dry-run", "from=", "fast-memory=", ".SH EXIT STATUS"):
        assert word in plain
    for case in cases.CASES:
        assert f".SS {case}\n" in plain
    if shutil.which("man"):
        done = subprocess.run(
            ["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_every_command_has_an_example_in_its_help():
    for name, command in commands.command_table().items():
        own = name in set(cases.CASES) or command.hidden
        assert own or command.epilog.startswith("Example: watari "), name


def test_a_failed_launcher_keeps_the_cause(tmp_path):
    """mpirun writes the cause first and a long farewell after it, once for every rank."""
    errors = tmp_path / "errors"
    cause = "There are not enough slots available in the system"
    farewell = [f"line {i} of a long farewell of the launcher" for i in range(60)]
    errors.write_text("\n".join(["-" * 70, cause, *farewell, "-" * 70, "the end"]))
    text = launch.tail(errors)
    assert text.startswith(cause)
    assert text.endswith("the end")
    assert len(text) <= launch.TAIL_CHARACTERS + 5
    errors.write_text("\n".join(["watari: no carrier", *farewell, "watari: no carrier"]))
    assert launch.tail(errors) == "watari: no carrier"
