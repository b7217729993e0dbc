"""The command line: input, output and exit codes."""

import json
import sys
from importlib.metadata import version

import fake_cli
import pytest
import synthetic
from command_line import run_cli

from watari import cases
from watari.results import schema

COPY = ["run", "copy", "processor=cpu", "size=1MiB", "trials=2", "samples=3"]


@pytest.fixture
def watari(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder, which ends with this code: output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(*words, how="good", code=0):
        arguments = list(map(str, words))
        if arguments[:1] == ["run"]:
            arguments += fake_cli.launcher(how)
        ended, out, err = run_cli(capsys, *arguments)
        assert ended == code, err
        assert "Traceback" not in err
        return out, err

    return command


def test_run_measures_one_case_and_says_where_it_is(watari, tmp_path):
    out, _ = watari(*COPY)
    assert "GB/s" in out
    files = list((tmp_path / "results").iterdir())
    assert [file.suffix for file in files] == [".json"]
    assert out.splitlines()[-1] == f"results: results/{files[0].name}"
    assert files[0].name.startswith(fake_cli.machine()["name"] + "-")
    result = schema.read(files[0])
    assert [len(case.trials) for case in result.cases] == [2]
    lines = [line for line in out.splitlines() if line.startswith("[")]
    assert [line.partition("]")[0] for line in lines] == ["[1/2", "[2/2"]
    assert all(" left" in line for line in lines)


def test_output_and_sweep(watari, tmp_path):
    (tmp_path / "a").mkdir()
    watari(*COPY[:3], "size=1MiB,2MiB", "trials=1", "samples=3", "-o", "a/run.json")
    sizes = [case.parameters["size"] for case in schema.read(tmp_path / "a/run.json").cases]
    assert sizes == [2**20, 2**21]


def test_standard_plan_is_the_default(watari, tmp_path):
    out, _ = watari("run", "-o", "run.json", how="unsupported-gpu")
    result = schema.read(tmp_path / "run.json")
    assert result.plan.name == "standard"
    assert {"ok", "unsupported"} <= {case.status for case in result.cases}
    assert "no GPU driver" in out


def test_plan_by_file(watari, tmp_path):
    (tmp_path / "my.toml").write_text(
        "name = 'mine'\n[[case]]\ncase = 'touch'\nprocessor = 'cpu'\nsize = '4KiB'\ntrials = 1\n"
    )
    watari("run", "--plan", "my.toml", "-o", "run.json")
    assert schema.read(tmp_path / "run.json").plan.name == "mine"


def test_failed_and_wrong_are_exit_code_1(watari):
    out, _ = watari(*COPY, how="crash", code=1)
    assert "SIGSEGV" in out


def test_unsupported_is_exit_code_0(watari):
    words = ["run", "copy", "processor=gpu", "size=1MiB,2MiB", "trials=1"]
    out, _ = watari(*words, how="unsupported-gpu")
    table = out[out.index("median") :]
    assert table.count("unsupported [1]") == 2
    assert table.count("[1] no GPU driver") == 1  # the reason, once


def test_budget_says_what_is_missing_and_resume_completes_it(watari, tmp_path):
    out, _ = watari(*COPY, "-o", "run.json", "--budget", "1s")
    assert "2 trials missing; resume with: watari run --resume run.json" in out
    out, _ = watari("run", "--resume", "run.json")
    assert "missing" not in out
    assert [len(case.trials) for case in schema.read(tmp_path / "run.json").cases] == [2]


def test_resume_with_another_plan_is_refused(watari):
    watari(*COPY, "-o", "run.json")
    _, err = watari("run", "touch", "--resume", "run.json", code=2)
    assert "cannot be resumed with this plan" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["copi"], ["unknown case 'copi'", "did you mean 'copy'", "access", "migration"]),
        (["copy", "siez=1"], ["'siez'", "did you mean 'size'", "streams"]),
        (["copy", "from=pined"], ["'pined'", "did you mean 'pinned'", "managed"]),
        (["copy", "size=many"], ["'many' is not a size", "64KiB"]),
        (["copy", "size"], ["'size' is not axis=value", "size=VALUE"]),
        (["copy", "size=7"], ["copy: size: '7' is too small", "8 bytes"]),
        (["copy", "=8"], ["'=8' is not axis=value"]),
        (["copy", "-o", "."], ["not a file", "-o"]),
        (["copy", "-o", "absent/x.json"], ["does not exist", "mkdir -p absent"]),
        (["copy", "size=8", "size=9"], ["given twice", "size=8,9"]),
        (["copy", "trials=0"], ["trials", "whole number"]),
        (["size=1MiB"], ["a case comes first", "copy, access"]),
        (["copy", "--plan", "gh200-sam"], ["not both"]),
        (["--plan", "gh200"], ["unknown plan 'gh200'", "gh200-sam", "miyabi-memory"]),
        (["--plan", "absent.toml"], ["absent.toml"]),
        (["--budget", "soon"], ["'soon' is not a time", "8min"]),
        (["--time-limit", "-3s"], ["'-3s' is not a time"]),
        (["--resume", "absent.json"], ["absent.json"]),
        (["--budgte", "3s"], ["--budgte"]),
    ],
)
def test_usage_errors_have_the_nearest_word_and_the_list(words, says, watari):
    out, err = watari("run", *words, code=2)
    assert "results:" not in out
    assert err.startswith("watari: ")
    assert err.count("\n") == 1
    for word in says:
        assert word in err


def test_unknown_command_gets_the_nearest(watari):
    _, err = watari("prob", code=2)
    assert "probe" in err


def test_list_has_every_case_axis_and_default(watari):
    out, _ = watari("list")
    for case in cases.CASES.values():
        assert f"{case.name}: {case.summary}" in out
        for axis in case.axes.values():
            assert f"  {axis.name} " in out
            assert f"[{axis.default_text}]" in out


def test_probe_as_json_and_for_people(watari):
    out, _ = watari("probe", "--json")
    assert json.loads(out) == fake_cli.machine()
    out, _ = watari("probe")
    assert fake_cli.machine()["processors"][0]["name"] in out


def test_compare_of_a_run_with_itself(watari):
    watari(*COPY, "-o", "run.json")
    watari("compare", "run.json", "run.json")


def test_compare_exits_with_what_changed(watari, tmp_path):
    """Exit codes: 3 slower, 4 lost, 3 unsure if asked for; as JSON and against several runs."""
    plain = [synthetic.plain(seed=seed, slower={"copy": by}) for seed, by in ((1, 1.0), (2, 1.5))]
    for number, run in enumerate(plain):
        (tmp_path / f"{number}.json").write_text(json.dumps(run))
    (tmp_path / "lost.json").write_text(json.dumps(plain[0] | {"cases": plain[0]["cases"][1:]}))
    watari("compare", "0.json", "0.json")
    watari("compare", "0.json", "1.json", code=3)
    watari("compare", "0.json", "1.json", "--threshold", "80%")
    watari("compare", "0.json", "lost.json", code=4)
    watari("compare", "0.json", "0.json", "1.json", "lost.json", code=4)
    out, _ = watari("compare", "0.json", "1.json", "--json", code=3)
    rows = json.loads(out)["comparisons"][0]["rows"]
    assert {row["verdict"] for row in rows if row["case"] == "copy" and row["base"]} == {"slower"}
    single = synthetic.plain(trials=1)
    (tmp_path / "one.json").write_text(json.dumps(single))
    watari("compare", "one.json", "one.json")
    watari("compare", "one.json", "one.json", "--fail-on-unsure", code=3)
    for wrong in ("0", "5", "-3%", "much"):
        _, errors = watari("compare", "0.json", "0.json", f"--threshold={wrong}", code=2)
        assert f"'{wrong}' is not a part" in errors


def test_check_of_a_run(watari, tmp_path):
    """Exit code 3 if an item fails; JSON, JUnit and thresholds."""
    good, slow = (synthetic.plain(synthetic.cpu_machine(), slower={"copy": by}) for by in (1, 1.5))
    (tmp_path / "good.json").write_text(json.dumps(good))
    (tmp_path / "slow.json").write_text(json.dumps(slow))
    watari("check", "good.json")
    slow = ("slow.json", "--baseline", "good.json", "--junit", "check.xml")
    out, _ = watari("check", *slow, code=3)
    assert "runs under a hypervisor" in out
    assert "<failure" in (tmp_path / "check.xml").read_text()
    words = ["check", "slow.json", "--baseline", "good.json", "--json"]
    out, _ = watari(*words, "--threshold", "copy=60%")
    assert json.loads(out)["exit_code"] == 0
    watari(*words, "--threshold", "copi=60%", code=2)


def test_a_strict_run_needs_every_case(watari):
    words = ["run", "copy", "processor=gpu", "size=1MiB", "trials=1"]
    watari(*words, "--strict", how="unsupported-gpu", code=1)
    watari(*words, how="unsupported-gpu")
    watari(*COPY, "--strict")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 99}'])
@pytest.mark.parametrize("command", [["compare", "bad.json"], ["run", "--resume"]])
def test_bad_result_files_are_named(command, text, watari, tmp_path):
    (tmp_path / "bad.json").write_text(text)
    _, err = watari(*command, "bad.json", code=2)
    assert "bad.json" in err


def test_report_format_and_missing_packages(watari, monkeypatch):
    _, err = watari("report", "a.json", "--format", "pgn", code=2)
    assert "did you mean 'png'" in err
    # modules that an earlier test imported would still be there
    for name in [name for name in sys.modules if name.split(".")[:2] == ["watari", "report"]]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "watari.report", None)
    monkeypatch.delattr("watari.report", raising=False)
    _, err = watari("report", "a.json", code=2)
    assert "watari[report]" in err


def test_the_version_is_that_of_the_package(watari):
    assert watari("--version")[0] == f"watari {version('watari')}\n"


@pytest.mark.parametrize("words", [["-h"], ["run", "-h"], ["export", "-h"]])
def test_h_is_help(watari, words):
    out, _ = watari(*words)
    assert "Usage: watari" in out


def test_one_case_and_the_plans_are_listed(watari):
    out, _ = watari("list", "copy")
    assert out.startswith("copy: ")
    assert "\nstorage: " not in out
    out, _ = watari("list", "plans")
    assert {"gh200-sam", "himeno-sam"} <= {line.split(":")[0] for line in out.splitlines()}
    _, errors = watari("list", "copi", code=2)
    assert "did you mean 'copy'?" in errors
