"""A ReFrame test of many nodes in one job, where `--distribute` would submit a job for each.

    reframe -C site.py -c scripts/fleet_reframe.py -S num_nodes=100 -S budget=5min -r

Every node of the allocation runs the same plan and writes a result file, by one `srun`. Sanity:
each node wrote one, and lost or failed nothing. Performance: a variable a node, the speed in its
worst case over the median of the nodes. It has a lower bound where `watari fleet` calls the node
slower: in a node like the others it is the least of many ratios, below 1 by chance.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class watari_fleet(rfm.RunOnlyRegressionTest):
    """One allocation, one step, a result file a node."""

    descr = "Watari: every node beside the median of all"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_nodes = variable(int, value=0)  # 0: all idle nodes of the partition
    budget = variable(str, value="10min")  # of the run on each node
    words = variable(str, value="")  # of `watari run`: "--plan gh200-sam"
    watari = variable(str, value="watari")
    threshold = variable(float, value=0.05)

    num_tasks_per_node = 1
    exclusive_access = True
    executable = "bash"
    results = "nodes"  # folder below the stage directory, which all nodes share

    @run_after("init")
    def one_task_a_node(self) -> None:
        self.num_tasks = self.num_nodes

    @run_before("run")
    def commands(self) -> None:
        # the step does not end where one node fails; every task has all CPUs of its node
        self.job.launcher.options += ["--kill-on-bad-exit=0", "--wait=0"]
        self.job.launcher.options += ["--cpus-per-task=$SLURM_CPUS_ON_NODE"]
        output = f"{self.results}/$SLURMD_NODENAME.json"
        run = f"exec {self.watari} run --budget {self.budget} -o {output} {self.words}"
        run += f" > {self.results}/$SLURMD_NODENAME.log 2>&1"
        self.executable_opts = ["-c", f"'{run}'"]
        self.prerun_cmds = [f"mkdir -p {self.results}"]
        fleet = f"{self.watari} fleet {self.results} --threshold {self.threshold} --json"
        self.postrun_cmds = [f"{fleet} > fleet.json; echo fleet $?"]

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes of fleet.json."""
        text = (Path(self.stagedir) / "fleet.json").read_text()
        sn.evaluate(sn.assert_true(text.strip(), "no node wrote a result: see rfm_job.err"))
        return [node for group in json.loads(text)["groups"] for node in group["nodes"]]

    @sanity_function
    def nothing_is_lost(self) -> bool:
        nodes = self.nodes()
        bad = [
            f"{node['node']} {node['verdict']}: {'; '.join(node['says'])}"
            for node in nodes
            if node["verdict"] in ("lost", "failed")
        ]
        silent = self.job.num_tasks - len(nodes)
        none = sn.assert_eq(silent, 0, f"{silent} nodes wrote no result: see {self.results}/*.log")
        return sn.all([none, sn.assert_eq(bad, [], f"{len(bad)} nodes: {' | '.join(bad)}")])

    @run_before("performance")
    def worst_ratio_of_each_node(self) -> None:
        bounds = {}
        for node in self.nodes():
            name, ratios = node["node"], [case["ratio"] for case in node["cases"]]
            if ratios:
                least = -self.threshold if node["verdict"] == "slower" else None
                bounds[name] = (1.0, least, None, "ratio")
                value = sn.make_performance_function(
                    lambda _, least: least, "ratio", self, ratios[0]
                )
                self.perf_variables[name] = value
        self.reference = {"*": bounds}
