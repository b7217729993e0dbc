"""A picture of a surface and its charges, by PyVista, without a screen.

Drawing runs in a process of its own: a graphics library that finds no driver may end its process.

    python -m watari.cases.hmatrix.picture charges.vtu picture.png
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from watari.common.errors import FileError, UsageError
from watari.common.files import write_atomically

MISSING = "needs pyvista: pip install 'watari[bem]'"
SIZE = (1600, 1200)
SECONDS = 600.0  # at most


def check() -> None:
    """Raises UsageError where no picture can be drawn here, before the work begins."""
    if importlib.util.find_spec("pyvista") is None:
        raise UsageError(f"--picture {MISSING}")


def draw(charges: Path, path: Path) -> None:
    """Draws a .vtu file of charges. Raises FileError."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "picture.png"
        command = [sys.executable, "-m", __name__, os.fspath(charges), os.fspath(made)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise FileError(f"{path}: no picture after {SECONDS:.0f} s") from None
        if done.returncode != 0 or not made.exists():
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            cause = lines[-1] if lines else f"PyVista ended with code {done.returncode}"
            raise FileError(f"{path}: PyVista cannot draw here: {cause}")
        write_atomically(path, made.read_bytes())


def main(charges: str, picture: str) -> None:
    """Draws the picture, in a process of its own."""
    import pyvista

    surface = pyvista.read(charges)
    plotter: Any = pyvista.Plotter(off_screen=True, window_size=list(SIZE))
    bar = {"title": "charge density in C/m^2\n", "fmt": "%.2g", "n_labels": 5}
    bar |= {"position_x": 0.25, "width": 0.5}
    values = surface.cell_data["charge_density"]
    limits = [float(values.min()), float(values.max())]
    if limits[0] < 0 < limits[1]:  # the two signs in two colours
        limits = [-max(-limits[0], limits[1]), max(-limits[0], limits[1])]
    plotter.add_mesh(
        surface,
        scalars="charge_density",
        cmap="coolwarm" if limits[0] < 0 < limits[1] else "viridis",
        clim=limits,
        ambient=0.3,
        scalar_bar_args=bar,
    )
    plotter.camera.zoom(1.3)
    plotter.screenshot(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
