"""The end of the program: output without a reader, and Ctrl-C."""

import io
import os
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import fake_cli
import pytest

from watari import __main__
from watari.cli import commands
from watari.common import interrupts
from watari.results import schema

COPY = ["run", "copy", "processor=cpu", "size=1MiB", "trials=2", "samples=3"]


@pytest.fixture
def process(tmp_path):
    """Runs a command in a process of its own: exit code and errors."""

    def command(*words, how="good", program=(fake_cli.__file__,), folders=(), **given):
        arguments = [*words, *(fake_cli.launcher(how) if words[:1] == ("run",) else [])]
        paths = [*folders, Path(commands.__file__).parents[2], Path(fake_cli.__file__).parent]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        done = subprocess.run(
            [sys.executable, *program, *arguments],
            cwd=tmp_path,
            env=environment | given.pop("env", {}),
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given},
        )
        return done.returncode, done.stderr.decode()

    return command


@pytest.fixture
def unread():
    """A pipe whose reader has closed its end."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


UNBUFFERED = pytest.mark.parametrize(  # a print fails, or the flush at the end
    "environment", [{"PYTHONUNBUFFERED": text} for text in ("", "1")]
)


@UNBUFFERED
def test_output_that_cannot_be_written_is_reported_in_one_line(environment, process):
    with open("/dev/full", "w") as full:
        assert process("list", stdout=full, env=environment) == (
            1,
            "watari: output cannot be written: No space left on device\n",
        )


@UNBUFFERED
@pytest.mark.parametrize("words", [["list"], ["probe"], ["--help"]])
def test_output_that_nobody_reads_is_no_error(words, environment, process, unread):
    assert process(*words, stdout=unread, env=environment) == (0, "")


@UNBUFFERED
@pytest.mark.parametrize(("how", "code"), [("good", 0), ("crash", 1)])
def test_a_run_continues_when_nobody_reads(how, code, environment, process, unread, tmp_path):
    ended = process(*COPY, "-o", "run.json", how=how, stdout=unread, env=environment)
    assert ended == (code, "")
    assert [len(case.trials) for case in schema.read(tmp_path / "run.json").cases] == [2]


def test_an_error_is_reported_when_nobody_reads(process, unread):
    code, err = process("run", "copi", stdout=unread)
    assert code == 2
    assert err.startswith("watari: unknown case 'copi'")


def test_the_exit_code_stays_when_nobody_reads_errors_either(unread):
    command = [
        sys.executable,
        "-c",
        "from watari.cli import commands; commands.main(['run', 'copi'])",
    ]
    assert subprocess.run(command, stdout=unread, stderr=unread).returncode == 2


def test_signs_that_a_terminal_lacks_are_no_error(monkeypatch):
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    monkeypatch.setattr(commands, "invoked", lambda words: print("2 µs") or 0)
    with pytest.raises(SystemExit) as ended:
        commands.main([])
    assert (ended.value.code, shown.getvalue()) == (0, b"2 ?s\n")


def test_output_that_is_closed_is_no_error(process):
    assert process("list", preexec_fn=lambda: os.close(1)) == (0, "")


@pytest.fixture
def interrupted(monkeypatch, tmp_path):
    """`watari probe` in this process. Ctrl-C arrives when the program examines the machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["watari", "probe"])
    monkeypatch.setattr(interrupts, "end_at_second", lambda: None)  # which would end the tests
    for module in fake_cli.ASKING:
        monkeypatch.setattr(module, "this_machine", lambda: signal.raise_signal(signal.SIGINT))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("words", [["probe"], [*COPY, "-o", "run.json"]])
def test_ctrl_c_before_trials_is_reported(words, interrupted, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["watari", *words])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "watari: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_second_ctrl_c_while_the_first_is_reported_is_no_traceback(interrupted, monkeypatch):
    class Interrupting(io.StringIO):
        def write(self, text):
            signal.raise_signal(signal.SIGINT)
            return super().write(text)

    monkeypatch.setattr(sys, "stderr", Interrupting())
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert (ended.value.code, sys.stderr.getvalue()) == (130, "watari: interrupted\n")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("module", ["typer", "rich"])
def test_an_interrupt_while_modules_are_imported_is_reported(process, tmp_path, number, module):
    content = f"import signal\nsignal.raise_signal(signal.{number})\n"
    (tmp_path / f"{module}.py").write_text(content)
    ended = process("list", program=["-m", "watari"], folders=[tmp_path])
    assert ended == (130, "watari: interrupted\n")


def test_memory_that_ends_while_modules_are_imported_is_reported(process, tmp_path):
    (tmp_path / "typer.py").write_text("raise MemoryError")
    ended = process("list", program=["-m", "watari"], folders=[tmp_path])
    assert ended == (1, "watari: out of memory\n")


SECOND_AT_START = """
import os, signal, sys
class Interrupting:
    @staticmethod
    def find_spec(name, path, target=None):
        if name == "watari.common.interrupts":
            os.kill(os.getpid(), signal.NUMBER)
            os.kill(os.getpid(), signal.NUMBER)
sys.meta_path.insert(0, Interrupting)
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_two_interrupts_at_the_start_show_one_line(process, tmp_path, number):
    (tmp_path / "sitecustomize.py").write_text(SECOND_AT_START.replace("NUMBER", number))
    ended = process("list", program=["-m", "watari"], folders=[tmp_path])
    assert ended == (130, "watari: interrupted\n")


def test_the_installed_command_begins_where_ctrl_c_is_heard():
    (script,) = entry_points(group="console_scripts", name="watari")
    assert script.load() is __main__.main
    assert __main__.INTERRUPTED == interrupts.INTERRUPTED
