"""Every hostile program for some seconds, one after another: `python tests/hostile/all.py 10`.

Each draws its seed and prints it. Exits with 1 if anything broke.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAMS = (
    "kill_and_resume",
    "damage_between_runs",
    "damage_while_running",
    "kill_runs",
    "two_at_once",
    "faulty_calls",
    "full_disk",
    "charges",
    "outputs",
    "fuzz_files",
    "fuzz_inputs",
)


def main(seconds: str) -> int:
    codes = []
    for name in PROGRAMS:
        program = Path(__file__).with_name(f"{name}.py")
        codes.append(subprocess.call([sys.executable, str(program), "--seconds", seconds]))
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "10"))
