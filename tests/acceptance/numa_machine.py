"""A virtual machine with several NUMA nodes, since few machines that run tests have more than one.

QEMU emulates the processors, and the kernel is Debian's. The machine sees the files of this one,
and what it writes stays in its memory. Two nodes have CPUs and a PCI device each, which stands for
a GPU next to them; the third has memory alone, like the GPU memory of a Grace Hopper.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PROGRAMS = ("qemu-system-x86_64", "busybox", "modprobe", "cpio")
PACKAGES = "qemu-system-x86, linux-image-amd64, busybox-static, kmod, cpio"
CPUS = 10  # of a node: more than the threads of a staged copy
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
ENDED = "the commands have ended"
SECONDS = 600  # for all commands, on a busy machine

# one thread emulates all processors: with a thread each, the kernel stops where the host has few
MACHINE = f"""\
-accel tcg,thread=single -cpu Haswell-v4 -machine q35 -m 4G -smp {2 * CPUS},sockets=2,cores={CPUS}
-nodefaults -no-reboot -display none -serial stdio -append console=ttyS0\\ quiet\\ panic=-1
-object memory-backend-ram,id=m0,size=2G -numa node,nodeid=0,cpus=0-{CPUS - 1},memdev=m0
-object memory-backend-ram,id=m1,size=1G -numa node,nodeid=1,cpus={CPUS}-{2 * CPUS - 1},memdev=m1
-object memory-backend-ram,id=m2,size=1G -numa node,nodeid=2,memdev=m2
-device pxb-pcie,id=b0,bus_nr=32,numa_node=0,bus=pcie.0
-device pcie-root-port,id=r0,bus=b0,chassis=1 -device virtio-rng-pci,bus=r0
-device pxb-pcie,id=b1,bus_nr=64,numa_node=1,bus=pcie.0
-device pcie-root-port,id=r1,bus=b1,chassis=2 -device virtio-rng-pci,bus=r1
-fsdev local,id=files,path=/,security_model=none,readonly=on,multidevs=remap
-device virtio-9p-pci,bus=pcie.0,fsdev=files,mount_tag=files
"""
GPUS = ("0000:21:00.0", "0000:41:00.0")  # the addresses of the two devices

# the first process: the files of this machine, below a file system in memory
INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
for module in /modules/*; do insmod $module; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576,cache=loose,ro files /files
mount -t tmpfs -o size=1g none /own; mkdir /own/upper /own/work
mount -t overlay -o lowerdir=/files,upperdir=/own/upper,workdir=/own/work none /root
for folder in proc sys dev; do mount --bind /$folder /root/$folder; done
mkdir -p /root/dev/shm; mount -t tmpfs none /root/dev/shm
mount -t tmpfs none /root/proc/driver  # where NVIDIA's driver says which GPUs there are
ip link set lo up; hostname watari
cp /commands.py /root/tmp
chroot /root {python} /tmp/commands.py
poweroff -f
"""
COMMANDS = """\
import json, os, pathlib, subprocess
for number, address in enumerate({gpus}):
    folder = pathlib.Path("/proc/driver/nvidia/gpus") / address
    folder.mkdir(parents=True)
    (folder / "information").write_text(f"GPU UUID: GPU-{{number}}{{number}}\\n")
os.chdir("/tmp")
for name, (words, variables) in {commands}.items():
    variables = {{**{environment}, **variables}}
    try:
        done = subprocess.run(words, env=variables, capture_output=True, text=True)
        said = (done.stdout, done.stderr)
    except OSError as error:
        said = ("", str(error))
    print(json.dumps([name, *said]), flush=True)
print({ended!r}, flush=True)
"""
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}


def kernel() -> tuple[Path, Path] | None:
    """A kernel that can mount this machine's files, and the folder of its modules."""
    for image in Path("/boot").glob("vmlinuz-*"):
        modules = Path("/lib/modules") / image.name.partition("-")[2]
        if list(modules.glob("kernel/fs/9p/9p.ko*")):
            return image, modules
    return None


def missing() -> str:
    """Why there is no such machine here; empty where there is."""
    if os.uname().machine != "x86_64" or os.geteuid() != 0:
        return "the machine with several NUMA nodes needs x86-64 and root"
    lacking = [name for name in PROGRAMS if not shutil.which(name)]
    if lacking or kernel() is None:
        return f"no {', '.join(lacking) or 'kernel in /boot'} (Debian: {PACKAGES})"
    alone = subprocess.run(["ldd", shutil.which("busybox") or ""], capture_output=True)
    return "" if alone.returncode else "busybox is not the one of busybox-static"


def needed_modules(version: str) -> list[str]:
    """The files of MODULES, each behind those that it needs."""
    words = ["modprobe", "-S", version, "--show-depends", "-a", *MODULES]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return list(dict.fromkeys(re.findall(r"^insmod (\S+)", said, re.MULTILINE)))


def first_files(folder: Path, modules: Sequence[str], commands: str) -> Path:
    """The files from which the kernel starts."""
    root = folder / "root"
    for each in ("bin", "modules", "proc", "sys", "dev", "files", "own", "root"):
        (root / each).mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "", root / "bin")
    for number, module in enumerate(modules):
        shutil.copy(module, root / "modules" / f"{number:02}-{Path(module).name}")
    (root / "commands.py").write_text(commands)
    init = root / "init"
    init.write_text(INIT.format(python=os.path.realpath(sys.executable)))
    init.chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = folder / "first.cpio"
    with archive.open("wb") as output:
        subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"],
            cwd=root,
            input=names.encode(),
            stdout=output,
            check=True,
        )
    return archive


def outputs(
    folder: Path, commands: Mapping[str, tuple[Sequence[str], Mapping[str, str]]]
) -> dict[str, tuple[str, str]]:
    """Standard output and standard error of each command (words, variables), by its name. Raises
    RuntimeError with what the machine printed where it does not reach the end."""
    found = kernel()
    assert found is not None
    image, modules = found
    script = COMMANDS.format(
        gpus=GPUS, commands=dict(commands), environment=ENVIRONMENT, ended=ENDED
    )
    first = first_files(folder, needed_modules(modules.name), script)
    words = [each.replace("\0", " ") for each in MACHINE.replace("\\ ", "\0").split()]
    log = folder / "machine.log"
    with log.open("wb") as output, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["qemu-system-x86_64", *words, "-kernel", str(image), "-initrd", str(first)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
    lines = log.read_text(errors="replace").splitlines()
    if ENDED not in lines:
        raise RuntimeError("\n".join(lines[-40:]))
    rows = [json.loads(line) for line in lines if line.startswith('["')]
    return {name: (out, err) for name, out, err in rows}
