"""Results and reports without names, paths and secrets of their author."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic

from watari.case.anonymous import anonymous, scrub_text
from watari.cases.storage.case import FOLDER
from watari.common import variables
from watari.common.errors import UsageError
from watari.results import schema
from watari.results.schema import Results
from watari.run import prepare, resume, runner
from watari.run.launcher import Launcher

SECRET = "s3ntinel"


@pytest.mark.parametrize(
    ("template", "kept"),
    [
        (f"API_TOKEN={SECRET} mpirun -n {{ranks}}", "API_TOKEN=*** mpirun -n {ranks}"),
        (f"OMP_PLACES=threads A='{SECRET} b' srun", "OMP_PLACES=threads A=*** srun"),
        (f"mpirun -x OMP_PLACES=cores -x A={SECRET},b", "mpirun -x OMP_PLACES=cores -x A=***"),
        (f"srun --export=ALL,OMP_PLACES=a,A={SECRET}", "srun --export=ALL,OMP_PLACES=a,A=***"),
        (f"mpiexec -genv A {SECRET} -genv OMP_PLACES a", "mpiexec -genv A *** -genv OMP_PLACES a"),
        (f"run --api-key={SECRET} --token {SECRET} -n 2", "run --api-key=*** --token *** -n 2"),
        (f"run --auth-header {SECRET} -n 2", "run --auth-header *** -n 2"),
        (f"sh -c 'A={SECRET} exec \"$@\"' x", "sh -c A=*** x"),
        (f"mpirun -xA={SECRET} --bind-to core", "mpirun -xA=*** --bind-to core"),
        ("mpirun --map-by=ppr:1:node -n {ranks}", "mpirun --map-by=ppr:1:node -n {ranks}"),
    ],
)
def test_a_launcher_is_kept_without_its_secrets(template, kept):
    assert variables.kept_launcher(template) == kept
    for words in (["--launcher", template], [f"--launcher={template}"]):
        command = variables.kept_command(["watari", "run", "copy", *words, "-o", "a b.json"])
        assert SECRET not in command
        assert shlex.split(command)[-1] == "a b.json"
        assert kept in command


def test_of_unknown_variables_the_name_is_kept(monkeypatch):
    for name in ("NCCL_NET_PLUGIN_KEY", "OMPI_MCA_oob_secret", "UCX_X", "CUDA_X", "OTHER"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("NCCL_ALGO", "Ring")
    variables = prepare.environment(Launcher.parse(f"TOKEN={SECRET} OMP_PLACES=sockets mpirun"))
    assert SECRET not in str(variables)
    assert (variables["NCCL_ALGO"], variables["OMP_PLACES"]) == ("Ring", "sockets")
    assert {variables[n] for n in ("NCCL_NET_PLUGIN_KEY", "OMPI_MCA_oob_secret", "TOKEN")} == {
        "***"
    }
    assert "OTHER" not in variables


WORDS = ("copy", "processor=cpu", "size=1MiB", "samples=2", "trials=2")


def watari(folder, *words, **environment):
    """Runs a command in a folder. Returns its exit code and all output."""
    done = subprocess.run(
        [sys.executable, "-c", "from watari.__main__ import main; main()", *words],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_resume_takes_the_launcher_of_before_or_asks_for_it(tmp_path):
    for name, token in (("known", "OMP_PLACES=cores"), ("secret", f"API_TOKEN={SECRET}")):
        launcher = f"{token} env MEMORY_TEST_KIND=x" if name == "secret" else f"{token} env"
        words = [*WORDS, "--launcher", launcher, "-o", f"{name}.json"]
        assert watari(tmp_path, "run", *words)[0] == 0
        text = (tmp_path / f"{name}.json").read_text()
        assert SECRET not in text
    assert watari(tmp_path, "run", "--resume", "known.json")[0] == 0
    code, says = watari(tmp_path, "run", "--resume", "secret.json")
    assert code == 2
    assert says.count("\n") == 1
    assert "--launcher 'API_TOKEN=*** env MEMORY_TEST_KIND=***'" in says
    assert "give --launcher again" in says
    assert watari(tmp_path, "run", "--resume", "secret.json", "--launcher", "A=b env")[0] == 0
    assert resume.earlier_launcher(resume.load(tmp_path / "known.json")[0], Path()).environment == {
        "OMP_PLACES": "cores"
    }


HOST, USER = "hostofjane.example.org", "janedoe"
HOME, DISK = f"/homes/{USER} b", "/scratch/secret project"


def telling() -> Results:
    """A result whose every text has a name in it."""
    plain = synthetic.results(trials=1).as_dict()
    plain["cases"] = plain["cases"][::9]  # some of every kind
    text = (
        f"mpirun noticed that rank 0 on node {HOST.split('.')[0]} of {HOST} exited: "
        f"'{HOME}/x y.json', {DISK}/watari-1, {USER}@{HOST}:/tmp/{USER}/a: ~{USER}/b "
        "file:///opt/secretsite GPU-01234567-89ab-cdef-0123-456789abcdef"
    )
    plain["program"] |= {
        "command": f"watari run storage folder={DISK} -o {HOME}/a.json",
        "launcher": f"{HOME}/mpirun -H {HOST}",
        "flags": f"-O3 -I{HOME}/include -I /opt/secretsite/include",
        "environment": {
            "OMP_PLACES": "cores",
            "NCCL_TOPO_FILE": f"{HOME}/topology.xml",
            "CUDA_VISIBLE_DEVICES": "GPU-01234567-89ab-cdef-0123-456789abcdef",
        },
    }
    plain["plan"] = {"name": f"{USER}'s", "description": text, "source": "https://doi.org/10.1/2"}
    plain["machine"]["hosts"] = [HOST, HOST, f"second-{HOST}"]
    plain["machine"]["capabilities"].append(
        {"name": "openblas", "available": True, "reason": None, "detail": f"{HOME}/libopenblas.so"}
    )
    for number, case in enumerate(plain["cases"]):
        case |= {"reason": text, "flags": [text], "status": ("ok", "failed")[number % 2]}
        if number % 3 == 0:
            case["parameters"]["folder"] = f"{DISK}/{number % 2}"
        for trial in case["trials"]:
            trial |= {"notes": [text], "error": text}
    return Results.model_validate(plain)


NAMES = (HOST, "hostofjane", USER, HOME, DISK, "secret project", "secretsite", "01234567-89ab")


@pytest.fixture
def at_home(monkeypatch):
    """The user, and the home that results were made in."""
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.setenv("USER", USER)


@pytest.mark.usefixtures("at_home")
def test_an_anonymous_result_has_no_name():
    text = schema.format_json(anonymous([telling()])[0].as_dict())
    assert [name for name in NAMES if name in text] == []
    assert "https://doi.org/10.1/2" in text
    kept = json.loads(text)
    assert kept["program"]["environment"]["OMP_PLACES"] == "cores"
    assert kept["machine"]["hosts"] == ["host-1", "host-1", "host-2"]
    assert (kept["program"]["command"], kept["program"]["launcher"]) == ("", "***")
    once = anonymous([telling()])
    assert anonymous(once) == once


@pytest.mark.usefixtures("at_home")
def test_an_anonymous_report_has_no_name(tmp_path):
    report = pytest.importorskip("watari.report.page")
    folder = tmp_path / "secretsite"
    folder.mkdir()
    schema.write(folder / "janedoe.json", telling())
    report.write([folder / "janedoe.json"], folder / "a.html", True)
    page = (folder / "a.html").read_text()
    assert [name for name in NAMES if name in page] == []
    report.write([folder / "janedoe.json"], folder / "b.html")
    assert HOST in (folder / "b.html").read_text()


def test_folders_stay_apart_and_the_default_stays():
    plain = synthetic.results().as_dict()
    case = next(c for c in plain["cases"] if c["case"] == "copy")
    folders = [FOLDER, "/a", "/b", "/a"]
    plain["cases"] = [
        {**case, "parameters": {**case["parameters"], "folder": f, "n": n}}
        for n, f in enumerate(folders)
    ]
    one, other = anonymous([Results.model_validate(plain)] * 2)
    shown = [c.parameters["folder"] for c in one.cases]
    assert shown == [FOLDER, "<folder-1>", "<folder-2>", "<folder-1>"]
    assert one == other


@pytest.mark.parametrize(
    "text", ["151 GB/s of 7 TB/s", "read/write", "2 / 3", "10.1/2", "a 1/2", "https://a.org/b"]
)
def test_what_is_no_path_stays(text):
    assert scrub_text(text, {}) == text


def test_a_run_without_names(tmp_path):
    folder = tmp_path / "secretsite"
    folder.mkdir()
    words = [*WORDS, "--launcher", f"TOKEN={SECRET} env", "-o", str(folder / "a.json")]
    words.append("--anonymous")
    assert watari(folder, "run", *words, HOME=str(folder), USER=USER, NCCL_KEY=SECRET)[0] == 0
    text = (folder / "a.json").read_text()
    host = Path("/proc/sys/kernel/hostname").read_text().strip()
    hidden = [SECRET, "TOKEN", "NCCL_KEY", "secretsite", USER, f'"{host}"']
    assert [name for name in hidden if name in text] == []
    assert json.loads(text)["program"]["anonymous"]


def test_what_is_anonymous_stays_so_and_needs_its_folder(tmp_path):
    plain = synthetic.results().as_dict()
    case = next(c for c in plain["cases"] if c["case"] == "copy")
    case["parameters"]["folder"] = "/disk"
    schema.write(tmp_path / "a.json", anonymous([Results.model_validate(plain)])[0])
    state, _ = resume.load(tmp_path / "a.json")
    assert runner.assemble(state).program.anonymous
    with pytest.raises(UsageError, match="--anonymous left out folder="):
        resume.require_whole(state, tmp_path / "a.json")
