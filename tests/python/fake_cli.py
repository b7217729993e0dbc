"""`watari` on a made-up machine, without the compiled module: `fake_cli.py run copy ...`.

FAKE_REVISION and FAKE_KERNEL stand for another build and another machine.
"""

import os
import sys
from pathlib import Path

import synthetic

from watari.cli import app, commands
from watari.results import schema
from watari.run import prepare

FAKE = Path(__file__).with_name("fake_trial.py")


def machine():
    """A CPU machine whose memory does not grow."""
    kernel = os.environ.get("FAKE_KERNEL", "6.1")
    return {**synthetic.cpu_machine(), "virtual_machine": False, "kernel": kernel}


def program(launcher):
    """A build of some revision."""
    return schema.Program(
        version="0.1",
        revision=os.environ.get("FAKE_REVISION", "abc"),
        command="watari run",
        started="2025-01-01T00:00:00.000+00:00",
    )


def launcher(how):
    """The option that makes every trial end in this way (fake_trial.py)."""
    return ["--launcher", f"{sys.executable} {FAKE} {how} --"]


app.add_commands()
# replaces the commands' `this_machine`; tests of machines need the real `probe.machine`
ASKING = [
    module
    for name, module in sys.modules.items()
    if name.startswith("watari.cli.") and hasattr(module, "this_machine")
]
for module in ASKING:
    module.this_machine = machine
prepare.program = program

if __name__ == "__main__":
    commands.main()
