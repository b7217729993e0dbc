"""`near` and `huge`: what is done before a program starts, and why not."""

import os
import subprocess
import sys

import pytest

from watari.attach import entry, huge, near

UUIDS = ("GPU-aaaa", "GPU-abbb")


@pytest.fixture
def machine(tmp_path):
    """The files of a kernel with two nodes, and a GPU next to each."""

    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    write("sys/devices/system/node/online", "0-2")
    write("sys/devices/system/node/node0/cpulist", "0-1,8")
    write("sys/devices/system/node/node1/cpulist", "2-3")
    write("sys/devices/system/node/node2/cpulist", "")  # memory alone, as of a Grace Hopper
    for number, uuid in enumerate(UUIDS):
        address = f"0000:0{number}:00.0"
        write(f"proc/driver/nvidia/gpus/{address}/information", f"Model: H\nGPU UUID: {uuid}")
        write(f"sys/bus/pci/devices/{address}/numa_node", number)
    return tmp_path


@pytest.mark.parametrize(
    ("variables", "node", "why"),
    [
        ({"CUDA_VISIBLE_DEVICES": "0"}, 0, ""),
        ({"CUDA_VISIBLE_DEVICES": "1"}, 1, ""),
        ({"CUDA_VISIBLE_DEVICES": "1,7,0"}, 1, ""),  # CUDA stops at the unknown one
        ({"CUDA_VISIBLE_DEVICES": "GPU-ab"}, 1, ""),
        ({"CUDA_VISIBLE_DEVICES": "GPU-a"}, -1, "no GPU is visible"),  # two begin so
        ({"CUDA_VISIBLE_DEVICES": "MIG-1"}, -1, "no GPU is visible"),
        ({"CUDA_VISIBLE_DEVICES": ""}, -1, "no GPU is visible"),
        ({}, -1, "next to several NUMA nodes: set CUDA_VISIBLE_DEVICES"),
        ({"SLURM_LOCALID": "1"}, 1, ""),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "2"}, 0, ""),
        ({"SLURM_LOCALID": "x"}, -1, "next to several NUMA nodes"),
    ],
)
def test_the_node_of_the_gpu(machine, variables, node, why):
    found, reason = near.node_of_gpu(str(machine), variables)
    assert found == node
    assert why in reason
    assert bool(why) == bool(reason)


def test_machines_without_a_choice(machine):
    node = machine / "sys/bus/pci/devices/0000:01:00.0/numa_node"
    node.write_text("-1\n")  # as in many virtual machines
    found = near.node_of_gpu(str(machine), {"CUDA_VISIBLE_DEVICES": "1"})
    assert found == (-1, "the system does not say which NUMA node is next to the GPU")
    (machine / "sys/devices/system/node/online").write_text("0\n")
    assert near.node_of_gpu(str(machine), {}) == (-1, "this machine has one NUMA node")


def test_a_process_moves_to_the_cpus_of_the_node_that_it_may_use(machine):
    cpu = min(os.sched_getaffinity(0))
    for number, cpus in ((0, f"{cpu}"), (1, "4000")):
        (machine / f"sys/devices/system/node/node{number}/cpulist").write_text(f"{cpus}\n")
    program = (
        "import os\nfrom watari.attach import near\n"
        f"with near.moved({str(machine)!r}) as reason:\n    pass\n"
        "assert len(os.sched_getaffinity(0)) > 1 or os.cpu_count() == 1\n"
        f"print(near.move({str(machine)!r}), sorted(os.sched_getaffinity(0)))\n"
        "print([x for x in open('/proc/self/numa_maps')][0].split()[1])"
    )

    def moved(device):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "CUDA_VISIBLE_DEVICES": device},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stdout.splitlines()

    first = moved("0")
    if first[0].startswith("the memory policy is refused"):
        pytest.skip(first[0])  # some containers
    assert first[0] == f" [{cpu}]"
    assert first[1] in ("prefer:0", "prefer=0", "default")
    assert moved("1")[0].startswith("no CPU of NUMA node 1, next to the GPU, is allowed here")


@pytest.mark.parametrize(
    ("mode", "nodes", "device", "why"),
    [
        (2, 1, "0", ""),  # MPOL_BIND, as of numactl --membind=0
        (2, 1, "1", "leaves out NUMA node 1"),
        (4, 0, "1", ""),  # MPOL_LOCAL: numactl --localalloc
    ],
)
def test_a_memory_policy_that_a_launcher_chose_stays(machine, mode, nodes, device, why):
    cpu = min(os.sched_getaffinity(0))
    for number in (0, 1):
        (machine / f"sys/devices/system/node/node{number}/cpulist").write_text(f"{cpu}\n")
    program = (
        "from watari.attach import near\n"
        f"refused = near.set_memory_policy({mode}, {nodes})\n"
        f"with near.moved({str(machine)!r}) as reason:\n"
        f"    assert refused or near.memory_policy() == ({mode}, {nodes})\n"
        f"assert refused or near.memory_policy() == ({mode}, {nodes})\n"
        "print(refused, reason, sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": device},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    refused, reason = done.stdout.split("\n")[:2]
    if refused:
        pytest.skip(refused)
    assert why in reason
    assert bool(why) == bool(reason)


@pytest.mark.parametrize(
    ("linker", "version", "switch", "why"),
    [
        ("/lib64/ld-linux-x86-64.so.2", (2, 35), "always [madvise] never", ""),
        (None, (2, 39), "[always] madvise never", ""),  # a script
        ("/lib64/ld-linux-x86-64.so.2", (2, 34), "", "needs glibc 2.35, here is 2.34"),
        ("/lib/ld-musl-x86_64.so.1", (2, 39), "", "the C library of /lib/ld-musl-x86_64.so.1"),
        ("", (2, 39), "", "linked statically"),
        (None, (), "", "needs glibc 2.35, here is another C library"),
        (None, (2, 39), "always madvise [never]", "the kernel gives none"),
    ],
)
def test_why_malloc_gets_no_huge_pages(linker, version, switch, why):
    reason = huge.lacking(linker, version, switch)
    assert why in reason
    assert bool(why) == bool(reason)


def test_the_loader_of_a_file(tmp_path):
    assert "ld-" in entry.loader(os.path.realpath(sys.executable))
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert entry.loader(str(script)) is None
    assert entry.loader("/no/such/file") is None
    for cut in (4, 20, 63, 64, 100):
        part = tmp_path / "part"
        with open(os.path.realpath(sys.executable), "rb") as file:
            part.write_bytes(file.read(cut))
        assert entry.loader(str(part)) in (None, "")
