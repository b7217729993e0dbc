"""The table of changes, and the variables that name them, on a driver without a GPU."""

import random
import re

import pytest
from builds import ROOT
from changed import started

from watari import __version__
from watari.attach.changes import CHANGES


def test_the_library_has_the_changes_of_the_command():
    header = (ROOT / "src/attach/preload/styles/changes.hpp").read_text()
    names = re.search(r"change_names\[\] = \{(.*?)\}", header)[1]
    assert re.findall(r'"(\w+)"', names) == list(CHANGES)


def assert_as_it_is(ended, why):
    """The program ran as it is, and one line says why."""
    assert (ended.returncode, ended.stdout) == (0, "sum 2048\n")
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(f"watari: {why}")
    assert ended.stderr.endswith(": the program runs as it is\n")


@pytest.mark.parametrize("words", ["staged", "staged,pooled", ",".join(CHANGES), ""])
def test_known_changes_are_taken_in_silence(words):
    ended = started(words, "device", 4096)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "sum 2048\n"


@pytest.mark.parametrize(
    ("words", "version", "why"),
    [
        ("staged,fast", __version__, "WATARI_CHANGES has an unknown change 'fast'"),
        ("staged,,pooled", __version__, "WATARI_CHANGES has an unknown change ''"),
        ("staged", "99.0", "WATARI_CHANGES is of Watari 99.0, the preloaded library of"),
        ("x" * 3000, __version__, "WATARI_CHANGES has an unknown change 'xxxx"),
        ("a\x1b[2J\nb", __version__, "WATARI_CHANGES has an unknown change 'a?[2J?b'"),
        ("staged", "\x1b]0;t\a", "WATARI_CHANGES is of Watari ?]0;t?, the preloaded library of"),
    ],
)
def test_a_change_that_the_library_does_not_know_is_one_line(words, version, why):
    assert_as_it_is(started(words, "device", 4096, version=version), why)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("WATARI_ATTACH_STYLE", "bad", "style 'bad'"),
        ("WATARI_ATTACH_STYLE", "\x1b[2J", "style '?[2J'"),
        ("WATARI_ATTACH_RULES", "/no/such/file", "rules file '/no/such/file'"),
        ("WATARI_ATTACH_RULES", "/proc/self/comm", "rule '"),
    ],
)
def test_so_is_a_style_or_a_rule_that_it_does_not_know(name, value, what):
    variables = {"WATARI_ATTACH_STYLE": "managed", name: value}
    assert_as_it_is(started("staged", "device", 4096, **variables), what)


def test_a_program_without_cuda_says_nothing_of_it():
    for variables in ({}, {"WATARI_ATTACH_STYLE": "bad"}):
        ended = started("fast", "say", "hello", **variables)
        assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("seed", range(20))
def test_no_words_in_the_variables_stop_a_program(seed):
    draw = random.Random(seed)

    def words():
        parts = [*CHANGES, ",", ",,", ":", "=", "0a0b0c0d", " ", "\x7f", "ä", "x" * 5000, "%s%n"]
        return "".join(draw.choice(parts) for _ in range(draw.randrange(12)))

    ended = started(
        *(words(), "device", 4096),
        version=draw.choice(["", __version__, words()]),
        WATARI_CHANGES_PREFETCHES=words(),
        WATARI_CHANGES_VERBOSE=words(),
    )
    assert (ended.returncode, ended.stdout) == (0, "sum 2048\n")
    assert ended.stderr.count("\n") <= 1
    known = ("watari: WATARI_CHANGES", "watari: nothing was changed\n")
    assert not ended.stderr or ended.stderr.startswith(known)
