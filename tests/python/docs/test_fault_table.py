"""Tables of faults: each fault is in one place of the sources, and changes with it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "faults.py"
SPEC = importlib.util.spec_from_file_location("faults", PATH)
assert SPEC
assert SPEC.loader
faults = importlib.util.module_from_spec(SPEC)
sys.modules["faults"] = faults  # dataclasses look there
SPEC.loader.exec_module(faults)


def test_each_fault_has_one_place_and_changes_it() -> None:
    found = faults.read_faults()
    assert len({fault.why for fault in found}) == len(found) > 60
    for fault in found:
        fault.place()
        assert fault.old != fault.new


def test_a_fault_without_its_place_is_refused() -> None:
    fault = faults.Fault("off by one", "", "no source has this text", "")
    with pytest.raises(ValueError, match="is in 0 places"):
        fault.place()


def test_the_tests_that_see_a_fault_stand_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "faults.toml"
    table.write_text(
        "".join(f'[[fault]]\nkind = ""\nwhy = "{n}"\nold = ""\nnew = ""\n' for n in "ab")
    )
    monkeypatch.setattr(faults, "tables", lambda: [table])
    for seen in (["x[1]", "y"], ["z"]):
        faults.write_seen(faults.read_faults()[1], seen)
        assert [fault.seen for fault in faults.read_faults()] == [None, seen]
