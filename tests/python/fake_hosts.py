"""Stands in for a launcher of several hosts: `fake_hosts.py RANKS PER_HOST COMMAND...`.

Starts the ranks on this host under the names of other hosts. Each rank has the variables of a login
there: variables that were set for the launcher do not arrive.
"""

import os
import subprocess
import sys

LOGIN = ("PATH", "HOME", "PYTHONPATH", "LD_LIBRARY_PATH")


def start(rank: int, ranks: int, per_host: int, command: list[str]) -> "subprocess.Popen[bytes]":
    own = {
        "OMPI_COMM_WORLD_RANK": rank,
        "OMPI_COMM_WORLD_SIZE": ranks,
        "OMPI_COMM_WORLD_LOCAL_RANK": rank % per_host,
        "OMPI_COMM_WORLD_LOCAL_SIZE": per_host,
        "SLURMD_NODENAME": f"node{rank // per_host}",
    }
    login = {name: os.environ[name] for name in LOGIN if name in os.environ}
    return subprocess.Popen(command, env={**login, **{n: str(v) for n, v in own.items()}})


def main() -> int:
    ranks, per_host = int(sys.argv[1]), int(sys.argv[2])
    started = [start(rank, ranks, per_host, sys.argv[3:]) for rank in range(ranks)]
    return max(abs(process.wait()) for process in started)


if __name__ == "__main__":
    sys.exit(main())
