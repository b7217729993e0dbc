"""Programs with changes, as `watari exec` starts them, on a driver without a GPU."""

import subprocess

from tried import driver, program

from watari import __version__
from watari.attach.entry import PACKAGE, PRELOADED


def started(changes, *words, version=__version__, name="linked", **variables):
    """The program with these changes."""
    return subprocess.run(
        [program(name), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            **driver(),
            "LD_PRELOAD": f"{PACKAGE}/{PRELOADED}",
            "WATARI_CHANGES": changes,
            "WATARI_CHANGES_VERSION": version,
            **variables,
        },
    )
