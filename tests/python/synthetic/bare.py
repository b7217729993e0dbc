"""A machine with only the fields that a plan needs."""


def machine(gpus=0, available=2**34, nodes=1):
    cpu = {
        "id": "cpu",
        "kind": "cpu",
        "name": "A CPU",
        "cores": 2,
        "numa_nodes": [{"node": n, "cpus": [n], "bytes": available // nodes} for n in range(nodes)],
        "caches": [],
    }
    processors = [{"id": f"gpu:{n}", "kind": "gpu", "name": "A GPU"} for n in range(gpus)]
    known = {"name": "test", "hosts": ["node0"], "memory_available_bytes": available}
    return {**known, "processors": [cpu, *processors]}
