"""Completion in each installed shell, and the manual page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import printed, refused

from watari import cases
from watari.cli import completion, man
from watari.cli.app import commands_by_name


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(shell), reason=f"no {shell}: install {shell}")


SHELLS = [pytest.param(shell, marks=needs(shell)) for shell in completion.SHELLS]
ASK = {
    "bash": """
source {script}
line={line!r}
COMP_LINE=$line COMP_POINT=${{#line}}
_watari 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    # zsh's own functions work only on its command line: these print the words that they get
    "zsh": """
compdef() {{ :; }}
compset() {{ prefix=${{current%${{current##*[=,]}}}}; }}
compadd() {{
    while [[ $1 != -- ]]; do shift; done; shift
    print -l -- $prefix${{^@}} | grep -e "^$words[CURRENT]"
}}
_files() {{ [[ -n ${{found::=$words[CURRENT]*(N)}} ]] && print -l ${{~found}}; }}
source {script}
line={line!r}
words=(${{=line}}); [[ $line == *' ' ]] && words+=('')
CURRENT=$#words prefix=''
_watari
""",
    "fish": "source {script}\ncomplete -C {line!r}\n",
}


@pytest.fixture
def offered(tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """The words that a shell offers behind a line."""

    def ask(shell: str, line: str) -> set[str]:
        script = tmp_path / "script"
        script.write_text(printed(capsys, "completion", shell))
        program = {"zsh": ["zsh", "-f"], "bash": ["bash", "--norc"], "fish": ["fish", "-N"]}[shell]
        text = ASK[shell].format(script=script, line=line)
        done = subprocess.run([*program, "-c", text], capture_output=True, text=True, cwd=tmp_path)
        assert done.stderr == ""
        prefix = line.rpartition(" ")[2].rpartition("=")[0] + "=" if shell == "bash" else ""
        words = [word.partition("\t")[0] for word in done.stdout.split("\n") if word]
        return {prefix + word if prefix != "=" else word for word in words}

    return ask


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("watari co", {"compare", "completion"}),
        ("watari run mig", {"migration"}),
        ("watari run copy fr", {"from="}),
        ("watari run copy size=1GiB bid", {"bidirectional="}),
        ("watari run copy from=p", {"from=pageable", "from=pinned"}),
        ("watari run copy from=pageable,pi", {"from=pageable,pinned"}),
        ("watari run copy memory=m", {"memory=managed"}),
        ("watari run copy bidirectional=y", {"bidirectional=yes"}),
        ("watari run storage engine=cu", {"engine=cufile"}),
        ("watari run --plan gh", {"gh200-sam", "gh200-sam-nodes", "gh200-sam-short"}),
        ("watari run --dry", {"--dry-run"}),
        ("watari run --plan gh200-sam --dry", {"--dry-run"}),
        ("watari predict him", {"himeno"}),
        ("watari predict himeno gri", {"grid="}),
        ("watari advise himeno grid=X", {"grid=XL", "grid=XS", "grid=XXL"}),
        ("watari predict himeno --wh", {"--why"}),
        ("watari predict --machine gh", {"gh200"}),
        ("watari predict himeno --machine peg", {"pegasus"}),
        ("watari predict --machine before", {"before.json"}),
        ("watari bem bumpy:8 --solver fg", {"fgmres"}),
        ("watari gemm a.npy b.npy --engine ur", {"uring"}),
        ("watari list pl", {"plans"}),
        ("watari list mac", {"machines"}),
        ("watari report --format p", {"pdf", "png"}),
        ("watari completion z", {"zsh"}),
        ("watari compare before", {"before.json"}),
    ],
)
def test_a_shell_offers(shell: str, line: str, words: set[str], offered, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "before.json").touch()
    assert offered(shell, line) == words


def test_every_case_axis_and_choice_is_in_the_table() -> None:
    table = completion.table(commands_by_name())
    for name, case in cases.CASES.items():
        assert name in table["run"]
        for axis in case.axes.values():
            assert f"{axis.name}=" in table[f"run {name}"]
            assert set(axis.choices) <= set(table.get(f"run {name} {axis.name}=", []))


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'fish'?" in refused(capsys, "completion", "fsh")


def test_the_manual_page_has_every_command_option_case_and_axis() -> None:
    page = man.page(commands_by_name(), "1.2")
    for name, command in commands_by_name().items():
        assert f"\n.SS watari {man.text(name)}" in page
        for option in completion.options(command):
            assert option == "--help" or man.text(option) in page
    for name, case in cases.CASES.items():
        assert f"\n.SS {name}\n" in page
        assert all(f"\n.B {man.text(axis)}=\n" in page for axis in case.axes)
    for code in man.EXIT:
        assert f".TP\n.B {code}\n" in page
    assert not any(line.startswith("'") for line in page.splitlines())


@needs("groff")
def test_the_manual_page_is_roff_without_warnings() -> None:
    page = man.page(commands_by_name(), "1.2")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-k", "-Tutf8", "-z"], input=page, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
