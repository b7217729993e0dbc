"""The cost of tracing, by the bursts of watari_touches on a driver without a GPU."""

from tried import driver

from watari.attach.trace.cost import burst, tracing_of


def test_each_cost_is_the_difference_beyond_those_that_it_contains() -> None:
    names = (
        "call launch copying wait record allocation launch_wait launch_copy behind node_call node"
    )
    plain = dict.fromkeys([*names.split(), "once"], 1000.0)
    traced = plain | {"call": 1100.0, "allocation": 21_200.0, "node_call": 1300.0, "node": 3000.0}
    found = tracing_of(plain, traced, 0.0)
    assert (found.call, found.allocation) == (100.0, 10_000.0)  # of a pair
    assert (found.node, found.inside) == (300.0, 1700.0)


def test_a_burst_times_nodes_of_graphs_by_their_launch_and_their_end(tmp_path, monkeypatch) -> None:
    for name, value in driver(kernel_us=20).items():
        monkeypatch.setenv(name, value)
    took = burst({}, tmp_path)
    assert took["node"] > 1000  # they take 20 us each, one after the other
    assert took["node_call"] >= 0
