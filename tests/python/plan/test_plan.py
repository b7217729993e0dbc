"""Plans: a written plan is read back; errors name file and field."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic.bare import machine

from watari import cases
from watari.common.errors import FileError, UsageError, WatariError
from watari.plan import plan
from watari.plan.request import resolve


def read(tmp_path, text, **given):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return plan.read(path, machine(**given))


def test_lists_sweep_and_defaults_apply_where_the_axis_is(tmp_path):
    stored = read(
        tmp_path,
        """
        name = "small"
        description = "two cases"
        source = "us"
        [defaults]
        size = ["1MiB", 2097152]
        trials = 3
        thp = "always"
        [[case]]
        case = "copy"
        processor = "cpu"
        bidirectional = [true, false]
        [[case]]
        case = "touch"
        size = "4KiB"
        """,
    )
    assert (stored.name, stored.description, stored.source) == ("small", "two cases", "us")
    copies = [r for r in stored.requests if r.case == "copy"]
    assert [(r.parameters["size"], r.parameters["bidirectional"]) for r in copies] == [
        (2**20, True),
        (2**20, False),
        (2**21, True),
        (2**21, False),
    ]
    assert {r.parameters["thp"] for r in copies} == {"always"}
    assert [r.parameters["size"] for r in stored.requests if r.case == "touch"] == [4096]
    assert {r.trials for r in stored.requests} == {3}


def test_a_case_asked_for_twice_is_run_once_with_more_trials(tmp_path):
    case = "[[case]]\ncase='touch'\nsize='4KiB'\n"
    stored = read(tmp_path, f"name='x'\n{case}trials=2\n{case}trials=7\n{case}trials=4")
    assert [r.trials for r in stored.requests] == [7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", ["end of document"]),
        ("name = 'x'\n[[case]\n", ["line 2"]),
        ("[[case]]\ncase = 'copy'", ["name", "missing"]),
        ("name = 3\n[[case]]\ncase = 'copy'", ["name", "text"]),
        ("name = 'x'", ["case", "[[case]]"]),
        ("name = 'x'\ncase = 'copy'", ["case", "[[case]]"]),
        ("name = 'x'\ncase = []", ["case", "[[case]]"]),
        (
            "name = 'x'\ndefault = 3\n[[case]]\ncase = 'copy'",
            ["default", "did you mean 'defaults'"],
        ),
        ("name = 'x'\ndefaults = 3\n[[case]]\ncase = 'copy'", ["defaults", "table"]),
        ("name = 'x'\n[[case]]\nsize = 3", ["case 1", "must name a case"]),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = 2020-01-01", ["case 1", "size"]),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = []", ["case 1", "size"]),
    ],
)
def test_malformed_plan_names_file_and_field(text, words, tmp_path):
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    for word in ["plan.toml", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[case]]\ncase = 'copi'", ["case 1", "'copi'", "did you mean 'copy'", "migration"]),
        ("[[case]]\ncase = 'copy'\nsiez = 3", ["'siez'", "did you mean 'size'", "streams"]),
        ("[[case]]\ncase = 'copy'\nthp = 'alway'", ["'alway'", "did you mean 'always'", "never"]),
        (
            "[defaults]\nsampels = 3\n[[case]]\ncase = 'copy'",
            ["defaults", "did you mean 'samples'"],
        ),
    ],
)
def test_unknown_words_get_the_nearest_and_the_list(text, words, tmp_path):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, f"name = 'x'\n{text}")
    for word in ["plan.toml", *words]:
        assert word in str(caught.value)


def test_unreadable_and_unknown_files(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match=r"bytes\.toml"):
        plan.read(tmp_path / "bytes.toml", machine())
    with pytest.raises(UsageError, match=r"plans/gh200-sma\.toml.*did you mean 'gh200-sam'"):
        plan.find("plans/gh200-sma.toml")
    with pytest.raises(UsageError, match=r"miyabi-memory"):
        plan.find("miyabi")


SCALARS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="'\n\r"), max_size=8),
    st.integers(-5, 2**40),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["cpu", "gpu", "pinned", "device", "1GiB", "yes"]),
)
NAMES = st.sampled_from(
    [*cases.CASES["copy"].axes, "trials", "memory", "siez", *cases.CASES["touch"].axes]
)


def toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, (int, float)) else "'" + value + "'"


@settings(deadline=None, max_examples=200)
@given(
    case=st.sampled_from([*cases.CASES, "copi"]),
    axes=st.dictionaries(NAMES, st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=4),
)
def test_any_plan_is_read_or_refused_with_its_name(case, axes, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp()) / "any.toml"
    body = "\n".join(f"{name} = {toml(value)}" for name, value in axes.items())
    path.write_text(f"name = 'any'\n[[case]]\ncase = '{case}'\n{body}\n", encoding="utf-8")
    refusal, requests = None, ()
    try:
        requests = plan.read(path, machine()).requests
    except WatariError as error:
        refusal = error
    assert requests or (refusal and refusal.exit_code == 2 and "any.toml" in str(refusal))
    for request in requests:
        assert set(request.parameters) == set(cases.CASES[case].axes)


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(8, 2**50), min_size=1, max_size=5, unique=True),
    trials=st.integers(1, 100),
)
def test_every_value_of_a_sweep_is_measured_once(sizes, trials, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp()) / "sweep.toml"
    path.write_text(
        f"name = 'sweep'\n[[case]]\ncase = 'touch'\nsize = {sizes}\ntrials = {trials}\n"
    )
    requests = plan.read(path, machine()).requests
    assert [r.parameters["size"] for r in requests] == sizes
    assert {r.trials for r in requests} == {trials}


def sizes(text):
    """The sizes of a sweep."""
    return [r.parameters["size"] for r in resolve("copy", {"size": text}, machine())]


def test_a_range_doubles_up_to_its_end():
    assert sizes("1MiB..1GiB") == [2**n for n in range(20, 31)]
    assert sizes("1MiB..3MiB") == [2**20, 2**21, 3 * 2**20]
    assert sizes("4KiB,1MiB..2MiB") == [2**12, 2**20, 2**21]
    assert [r.parameters["threads"] for r in resolve("copy", {"threads": "1..6"}, machine())] == [
        1,
        2,
        4,
        6,
    ]


@pytest.mark.parametrize(
    "text", ["2MiB..1MiB", "1MiB..1MiB", "1MiB..", "..1MiB", "0..4", "1MiB..x"]
)
def test_a_range_without_an_end_is_refused(text):
    with pytest.raises(UsageError, match="copy: size: "):
        sizes(text)


@pytest.mark.parametrize("text", ["1MiB-1GiB", "1MiB:1GiB", "1MiB to 1GiB"])
def test_another_way_to_write_a_range_is_answered_with_ours(text):
    with pytest.raises(UsageError, match=r"1MiB\.\.1GiB"):
        sizes(text)
