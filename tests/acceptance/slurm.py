"""A Slurm cluster on this machine: munge, a controller, and a daemon a node.

Each daemon has a host name of its own (a UTS namespace), as nodes have. Nothing outside the folder
is used or changed. It needs root, and Debian's packages slurm-wlm and munge.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo", "unshare")
SECONDS = 120  # for the nodes to be idle, on a busy machine

CONFIGURATION = """\
ClusterName=watari
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/linear
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
MessageTimeout=60
SlurmdTimeout=600
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN"


def missing() -> str:
    """Why no cluster can be started here; empty where it can."""
    if os.geteuid() != 0:
        return "a Slurm cluster needs root"
    lacking = [name for name in PROGRAMS if not shutil.which(name)]
    if lacking:
        return f"no {', '.join(lacking)} (Debian: slurm-wlm, munge)"
    alone = subprocess.run(["unshare", "--uts", "hostname", "watari"], capture_output=True)
    return "" if alone.returncode == 0 else "host names of their own are not allowed (unshare)"


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


@contextmanager
def daemon(words: Sequence[str], log: Path, variables: dict[str, str]) -> Iterator[None]:
    """A process in the foreground, until the end of the block."""
    with log.open("wb") as output:
        process = subprocess.Popen(words, stdout=output, stderr=output, env=variables)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, nodes: Sequence[str]) -> Iterator[dict[str, str]]:
    """The environment for srun and sbatch of a cluster with these nodes. Raises RuntimeError where
    it does not start."""
    host = socket.gethostname().partition(".")[0]
    port, *ports = free_ports(1 + len(nodes))
    rows = [NODE.format(name=n, host=host, port=p) for n, p in zip(nodes, ports, strict=True)]
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(host=host, port=port, folder=folder, nodes="\n".join(rows))
    )
    (folder / "state").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    variables = {**os.environ, "SLURM_CONF": str(configuration)}
    munge = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket"]
    munge += [f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "seed", "log")]
    with ExitStack() as stack:
        stack.enter_context(daemon(munge, folder / "munge.out", variables))
        wait(lambda: (folder / "munge.socket").exists(), folder / "munge.out")
        controller = ["slurmctld", "-D", "-f", str(configuration)]
        stack.enter_context(daemon(controller, folder / "slurmctld.out", variables))
        for name in nodes:
            start = f"hostname {name} && exec slurmd -D -N {name} -f {configuration}"
            words = ["unshare", "--uts", "sh", "-c", start]
            stack.enter_context(daemon(words, folder / f"{name}.out", variables))
        wait(lambda: idle(variables) == len(nodes), folder / "slurmctld.out")
        yield variables


def idle(variables: dict[str, str]) -> int:
    """The number of idle nodes."""
    words = ["sinfo", "--noheader", "--Node", "--states=idle", "--format=%N"]
    listed = subprocess.run(words, capture_output=True, text=True, env=variables, timeout=60)
    return len(listed.stdout.split())


def wait(ready, log: Path) -> None:  # type: ignore[no-untyped-def]
    """Waits until `ready()`. Raises RuntimeError with the log after SECONDS."""
    end = time.monotonic() + SECONDS
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError(log.read_text(errors="replace"))
        time.sleep(0.2)
