"""Two hosts of a network of their own, on this machine, for Open MPI.

Each is a network namespace with a name of its own (UTS namespace), joined by a cable (veth). An
agent replaces ssh: it starts Open MPI's daemon on the other host, with the variables of a login
there. So the ranks of one host reach those of the other by TCP alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

LOGIN = ("PATH", "HOME", "PYTHONPATH", "LD_LIBRARY_PATH")
ADDRESSES = ("10.213.77.1", "10.213.77.2")
AGENT = """#!/bin/sh
# agent ADDRESS COMMAND...
address=$1
shift
exec ip netns exec {prefix}-${{address##*.}} unshare --uts sh -c \\
    'hostname "$0"; exec env -i {variables} sh -c "$1"' host${{address##*.}} "$*"
"""


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"ip {' '.join(words)}: {done.stderr.strip()}")


@contextmanager
def two_hosts(folder: Path) -> Iterator[tuple[list[str], str]]:
    """The words in front of a command that run it on the first host, and a launcher for there, with
    two ranks a host. Skips the test if this machine has no such hosts."""
    for program in ("ip", "unshare", "mpirun"):
        if not shutil.which(program):
            pytest.skip(f"no {program}")
    if os.geteuid() != 0:
        pytest.skip("only root makes network namespaces")
    prefix = f"watari-{os.getpid()}"
    names = [f"{prefix}-{n}" for n in (1, 2)]
    made: list[str] = []
    try:
        for name in names:
            ip("netns", "add", name)
            made.append(name)
        cable = ("link", "add", "cable", "type", "veth", "peer", "cable", "netns")
        ip("-n", names[0], *cable, names[1])
        for name, address in zip(names, ADDRESSES, strict=True):
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "cable")
            for device in ("lo", "cable"):
                ip("-n", name, "link", "set", device, "up")
        agent = folder / "agent"
        kept = {name: os.environ[name] for name in LOGIN if name in os.environ}
        variables = " ".join(f'{name}="{value}"' for name, value in kept.items())
        agent.write_text(AGENT.format(prefix=prefix, variables=variables))
        agent.chmod(0o755)
        on_first = ["ip", "netns", "exec", names[0], "unshare", "--uts"]
        # a machine may allow its own launcher alone; Open MPI 5 does not read this variable
        launcher = (
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=rsh "
            f"OMPI_MCA_plm_rsh_agent={agent} PRTE_MCA_plm_ssh_agent={agent} "
            f"mpirun -H {ADDRESSES[0]}:2,{ADDRESSES[1]}:2 -n {{ranks}}"
        )
        yield [*on_first, "sh", "-c", 'hostname host1; exec "$@"', "sh", sys.executable], launcher
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False)
