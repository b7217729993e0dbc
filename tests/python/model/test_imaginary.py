"""Imaginary machines: a known one with what differs. They are marked, and share no real part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import printed

from watari.common.errors import FileError, UsageError, WatariError
from watari.model.profiles import choose, imaginary, known
from watari.model.profiles.scaled import LINK, MEMORY, limit_of
from watari.report.check import stored

TABLES = """like = "{like}"
gpu.memory = "192GB"
gpu.bandwidth = "2x"
link.bandwidth = "3x"
"""


def written(folder: Path, text: str) -> Path:
    """A file of an imaginary machine."""
    path = folder / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("like", known.files())
def test_steps_scale_with_what_differs_and_others_stay(like: str, tmp_path: Path) -> None:
    base = known.machine(like)
    found = choose.by_text(str(written(tmp_path, TABLES.format(like=like))))
    link = next(one.bandwidth for one in base.machine.links if one.bandwidth)
    for key, curve in base.curves.items():
        last, new = curve.points[-1], found.curves[key].points[-1]
        limit = limit_of(key, curve, link)
        large = last.bytes > (base.machine.processors[1].l2_bytes or 0)
        if limit == LINK:
            assert last.seconds / new.seconds == pytest.approx(3, rel=0.05), key
        elif limit == MEMORY and large:
            assert last.seconds / new.seconds == pytest.approx(2, rel=0.05), key
        elif limit not in (MEMORY, "link in part"):
            assert new == last, key
    assert found.machine.processors[1].memory_bytes == 192_000_000_000


@pytest.mark.parametrize("like", known.files())
def test_no_part_of_it_is_the_part_of_a_real_machine(like: str, tmp_path: Path) -> None:
    base = known.machine(like).record()
    found = choose.by_text(str(written(tmp_path, TABLES.format(like=like)))).record()
    for path in ("cpu", "gpu", "link"):
        whole = frozenset({path, "cpu" if path == "cpu" else "gpu"})
        assert stored.same_part(base, base, whole)
        assert not stored.same_part(base, found, whole)


@pytest.mark.parametrize(
    "words",
    [["predict", "himeno"], ["predict", "himeno", "--json"], ["advise", "himeno"], ["advise"]],
)
def test_every_output_says_that_it_is_imaginary(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, TABLES.format(like="gh200"))
    out = printed(capsys, *words, "--machine", path)
    assert "imaginary mine" in out
    if "--json" in words:
        assert {one["kind"] for one in json.loads(out)} == {"imaginary"}


def test_the_example_is_a_machine() -> None:
    found = choose.by_text(str(Path(__file__).parents[3] / "examples" / "faster-link.toml"))
    assert found.name == "imaginary faster-link"


def test_a_profile_of_results_may_be_the_base(tmp_path: Path) -> None:
    profile = next(path for path in known.files().values() if path.suffix == ".json")
    found = choose.by_text(str(written(tmp_path, f'like = "{profile}"\ngpu.l2 = "2x"\n')))
    assert found.kind == imaginary.MARK
    assert (
        found.machine.processors[1].l2_bytes
        == 2 * known.machine(profile.stem).machine.processors[1].l2_bytes
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpu.memory = 1\n", "'like' is missing"),
        ('like = "gh200"\n', "nothing differs from gh200"),
        ('like = "gh20"\ngpu.memory = 1\n', "did you mean 'gh200'"),
        ('like = "gh200"\ngpu.memori = 1\n', "did you mean 'gpu.memory'"),
        ('like = "gh200"\nbandwidth = 1\n', "unknown field 'bandwidth'"),
        ('like = "gh200"\ngpu.memory = "lots"\n', "is not a size"),
        ('like = "gh200"\ngpu.bandwidth = "4TB"\n', "a number of GB/s or a factor"),
        ('like = "gh200"\ngpu.bandwidth = 0\n', "must be above 0"),
        ('like = "other.toml"\ngpu.memory = 1\n', "is imaginary itself"),
        ('like = "none.json"\ngpu.memory = 1\n', "no such file"),
        ("like = [\n", "mine.toml"),
    ],
)
def test_what_cannot_be_is_refused_with_the_file(text: str, says: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises((UsageError, FileError), match="mine") as error:
        choose.by_text(str(path))
    assert says in str(error.value)
    assert isinstance(error.value, WatariError)


@pytest.mark.parametrize("field", ["gpu.bandwidth", "gpu.memory", "gpu.l2", "link.bandwidth"])
@pytest.mark.parametrize("value", ["inf", "1e-300", "9" * 400, f'"{"9" * 400}x"', '"0.00001x"'])
def test_a_value_far_from_the_known_one_is_refused(field: str, value: str, tmp_path: Path) -> None:
    path = written(tmp_path, f'like = "gh200"\n{field} = {value}\n')
    with pytest.raises(UsageError, match=f"mine.toml: {field}: must be"):
        choose.by_text(str(path))


def test_part_of_a_core_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'like = "gh200"\ncpu.cores = 0.5\n')
    with pytest.raises(UsageError, match=r"cpu\.cores: must be at least 1"):
        choose.by_text(str(path))


def test_the_profiles_that_come_along_are_those_of_their_results() -> None:
    """scripts/profiles.sh makes them anew."""
    from watari.model.profiles import fit
    from watari.results import schema

    results = Path(__file__).parents[3] / "results"
    for name in ("h100", "h200"):
        profile = known.machine(name)
        files = [next(results.glob(f"{profile.name}/{source}")) for source in profile.sources]
        made = fit.fit([schema.read(file) for file in files], [file.name for file in files])
        assert made.curves.keys() == profile.curves.keys()
        assert made.machine == profile.machine
        for key, curve in made.curves.items():
            there = profile.curves[key].points[-1]
            assert curve.points[-1].bytes == there.bytes
            assert there.low <= curve.points[-1].seconds <= there.high
