"""`watari probe` on a terminal: a machine as tables of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from watari.machine.probe.attributes import SHOWN, attribute

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

# Parameters of nvidia-uvm that decide how memory migrates; the others are in `--json`.
# Access counters had another name before driver 575: both are shown where they exist.
DECISIVE = ("access_counter", "disable_hmm", "ats_mode", "prefetch_enable", "thrashing_enable")

Machine = dict[str, Any]


def render(machine: Machine) -> RenderableType:
    """Everything that `watari probe` shows, for rich to print."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(machine["name"], style="bold")]
    parts += [processors(machine), memories(machine)]
    parts += [links(machine)] if machine["links"] else []
    parts += [capabilities(machine), settings(machine)]
    return Group(*parts)


def table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Column, Table

    made = (Column(each, overflow="fold", no_wrap=each != columns[-1]) for each in columns)
    return Table(
        *made, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, width=80
    )


def mark(yes: bool) -> Text:
    from rich.text import Text

    return Text("yes", "green") if yes else Text("no", "yellow")


def binary(size: int) -> str:
    """Bytes for reading, rounded: `114 MiB`."""
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.1f} {unit}" if value < 10 and value % 1 else f"{value:.0f} {unit}"


def rate(bandwidth: float | None) -> str:
    if bandwidth is None:
        return "not known"
    return f"{bandwidth / 1e12:.2f} TB/s" if bandwidth >= 1e12 else f"{bandwidth / 1e9:.1f} GB/s"


def processors(machine: Machine) -> Table:
    from rich.console import Group

    made = table("Processors", "processor", "what it is")
    for processor in machine["processors"]:
        lines = cpu_lines(processor) if processor["kind"] == "cpu" else gpu_lines(processor)
        made.add_row(processor["id"], Group(processor["name"], *lines))
    return made


def cpu_lines(cpu: dict[str, Any]) -> list[str]:
    caches = ", ".join(
        f"L{c['level']}{'' if c['kind'] == 'unified' else c['kind'][0]} {binary(c['bytes'])}"
        + (f" x {c['count']}" if c["count"] > 1 else "")
        for c in cpu["caches"]
    )
    nodes = [
        f"NUMA node {n['node']}: {binary(n['bytes'])}, "
        + (f"CPUs {n['cpus']}" if n["cpus"] else "no CPUs")
        for n in cpu["numa_nodes"]
    ]
    counts = f"packages {cpu['packages']}, cores {cpu['cores']}, threads {cpu['threads']}"
    return [counts, *([caches] if caches else []), *nodes]


def gpu_lines(gpu: dict[str, Any]) -> list[str]:
    node = "" if gpu["numa_node"] is None else f", nearest NUMA node {gpu['numa_node']}"
    return [
        f"compute capability {gpu['compute_capability']}, {gpu['multiprocessors']} SMs, "
        f"L2 {binary(gpu['l2_bytes'])}",
        f"{binary(gpu['memory_bytes'])} at {rate(gpu['memory_bandwidth'])} (theoretical)",
        f"PCI {gpu['pci_bus_id']}{node}",
        *(f"{name} = {value}" for name in SHOWN if (value := attribute(gpu, name)) is not None),
    ]


def memories(machine: Machine) -> Table:
    made = table("Memories", "kind", "here", "how, or why not")
    for row in machine["memories"]:
        how = f"by {row['route']}" if row["route"] else "needs " + row["needs"]
        made.add_row(row["kind"], mark(row["supported"]), row["reason"] or how)
    return made


def links(machine: Machine) -> Table:
    made = table("Links", "between", "kind", "theoretical, each direction")
    for link in machine["links"]:
        known = [
            f"generation {link['generation']}" if link["generation"] else "",
            f"x{link['width']}" if link["width"] else "",
            f"{link['links']} links" if link["links"] else "",
        ]
        kind = ", ".join([link["kind"], *filter(None, known)])
        made.add_row(f"{link['from']} - {link['to']}", kind, rate(link["bandwidth"]))
    return made


def capabilities(machine: Machine) -> Table:
    made = table("Optional parts", "part", "here", "what, or why not")
    for row in machine["capabilities"]:
        made.add_row(row["name"], mark(row["available"]), row["reason"] or row["detail"] or "")
    return made


def settings(machine: Machine) -> Table:
    uvm = {k: v for k, v in machine["uvm"].items() if any(word in k for word in DECISIVE)}
    cuda = machine["cuda"] or {"driver": None, "runtime": None}
    thp = machine["thp"]
    rows = {
        "memory": f"{binary(machine['memory_bytes'])}, "
        f"{binary(machine['memory_available_bytes'])} available",
        "kernel": f"{machine['kernel']} ({machine['architecture']})",
        "virtual machine": "yes" if machine["virtual_machine"] else "no sign of one",
        "page size": binary(machine["page_size"]),
        "transparent huge pages": f"{thp['enabled']}, defrag {thp['defrag']}",
        "numa_balancing": machine["numa_balancing"],
        "GPU driver": machine["driver"],
        "CUDA of the driver": cuda["driver"],
        "CUDA of this build": cuda["runtime"],
        **uvm,
    }
    made = table("Settings", "setting", "value")
    for name, value in rows.items():
        made.add_row(name, "-" if value is None else str(value))
    others = len(machine["uvm"]) - len(uvm)
    if others:
        made.add_row("nvidia-uvm", f"{others} more parameters: watari probe --json")
    return made
