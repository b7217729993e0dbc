"""The map of comfort that `watari wind --map` asks for: its options, before and after the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from watari.cases.les.output import Wind
from watari.common.errors import UsageError

NAMES = ("utci", "wbgt", "tmrt", "tair")
MOST_HUMIDITY = 100.0  # %


@dataclass(frozen=True)
class Asked:
    """The name of a map, or none; the humidity; another run."""

    name: str | None
    humidity: float | None = None  # %; None: that of the air before mist
    other: Wind | None = None
    named: str = ""  # the other run: its file, or `without mist`

    def compares(self, files: Sequence[Path]) -> bool:
        """Whether a picture could show another run beside this one, and none was given."""
        drawn = any(file.suffix.lower() == ".png" for file in files)
        return self.name is not None and self.other is None and drawn

    def require(self, shape: tuple[int, ...], spacing: float) -> None:
        """Raises UsageError for another run of another grid."""
        if self.other is None:
            return
        theirs = tuple(reversed(self.other.solid.shape))
        if theirs == shape and abs(self.other.spacing - spacing) < 1e-3 * spacing:
            return
        sizes = [
            f"{'x'.join(map(str, cells))} cells of {d:g} m"
            for cells, d in ((theirs, self.other.spacing), (shape, spacing))
        ]
        raise UsageError(f"--compare {self.named}: has {sizes[0]}, this run {sizes[1]}")

    def drawn(self, of: Wind) -> Wind:
        """The flow with its map, and that of the other run."""
        if self.name is None:
            return of
        from watari.cases.les.comfort.maps import comfort

        mine = comfort(self.name, of, self.humidity)
        if self.other is None:
            return replace(of, map=mine)
        self.require(tuple(reversed(of.solid.shape)), of.spacing)
        before = comfort(self.name, self.other, self.humidity)
        return replace(of, map=mine, before=replace(before, label=f"{self.named}, {before.label}"))


def asked(
    name: str | None, humidity: str | None, other: Path | None, files: Sequence[Path]
) -> Asked:
    """The options of a map. Raises UsageError."""
    if name is None:
        for option, value in (("--humidity", humidity), ("--compare", other)):
            if value is not None:
                raise UsageError(f"{option} is of a map: add --map {'|'.join(NAMES)}")
        return Asked(None)
    if name not in NAMES:
        raise UsageError(f"--map: '{name[:40]}' is none of {', '.join(NAMES)}")
    if name == "utci":
        from watari.cases.les.comfort.utci import require

        require()
    if other is None:
        return Asked(name, percent(humidity))
    if not any(file.suffix.lower() == ".png" for file in files):
        raise UsageError("--compare is drawn: add -o FILE.png")
    return Asked(name, percent(humidity), read(other), str(other))


def percent(text: str | None) -> float | None:
    """A relative humidity, or none. Raises UsageError."""
    if text is None:
        return None
    from watari.cases.les.axes import positive

    try:
        value = positive(text)
    except UsageError as error:
        raise UsageError(f"--humidity: {error}") from None
    if value > MOST_HUMIDITY:
        raise UsageError(f"--humidity: {value:g}% is above {MOST_HUMIDITY:g}%")
    return value


def read(path: Path) -> Wind:
    """The result of an earlier run. Raises UsageError."""
    from watari.cases.les.formats.netcdf import read as read_netcdf

    return read_netcdf(path)
