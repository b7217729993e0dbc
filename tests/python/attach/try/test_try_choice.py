"""The allocations that `watari try` moves: by size, by site, or as few as make a program fit."""

import json

from tried import MB, attempt, program, quantity, watari


def test_only_some_allocations(tmp_path):
    words = ("device", "4096", "device", str(MB))
    _, styles = attempt(tmp_path, *words, options=("--only", "size>=1MB"))
    assert quantity(styles["managed"], "moved_bytes") == MB
    assert styles["managed"]["parameters"]["only"] == f"size>={MB}"
    listed = watari("try", "--sites", "--", program(), *words, cwd=tmp_path).stdout
    site = next(line.split()[0] for line in listed.splitlines() if "cuMemAlloc" in line)
    assert "device+0x" in listed  # the function of the program that allocates
    _, styles = attempt(tmp_path, *words, options=("--only", f"site:{site}#0"))
    assert quantity(styles["managed"], "moved_bytes") == 4096


def test_a_style_that_would_change_nothing_is_not_run(tmp_path):
    words = ("device", "4096", "device", str(MB))
    for rule in ("size>=2MB", "site:00000000"):
        ended, styles = attempt(tmp_path, *words, options=("--only", rule))
        assert styles["as-is"]["status"] == "ok"
        assert styles["managed"]["status"] == "unsupported"
        reason = styles["managed"]["reason"]
        assert "none of the program's allocations (2): the largest has 1 MB" in reason
        assert "--sites" in ended.stdout


def test_a_program_that_does_not_fit_is_made_to(tmp_path):
    words = [word for n in (600, 500, 300) for word in ("keep", str(n * 1000))]
    limits = {"memory": MB}
    ended, styles = attempt(tmp_path, *words, **limits)
    assert styles["as-is"]["status"] == "failed"
    assert "exit code 3" in styles["as-is"]["reason"]
    assert styles["managed"]["status"] == "ok"
    ended, styles = attempt(tmp_path, *words, options=("--fit", "1MB"), **limits)
    # the smallest allocation that is large enough
    assert "1 of 3 allocations, 500 kB" in ended.stdout
    assert quantity(styles["pinned"], "device_peak") == 900_000
    assert quantity(styles["pinned"], "pinned_peak") == 500_000


def test_a_trace_says_which_allocations_the_gpu_touches_least(tmp_path):
    words = [word for n in (600, 500, 300) for word in ("keep", str(n * 1000))]
    listed = watari("try", "--sites", "--", program(), *words, cwd=tmp_path).stdout
    site = next(line.split()[0] for line in listed.splitlines() if "cuMemAlloc" in line)
    sizes = {f"{site}#{i}": size for i, size in enumerate((600_000, 500_000, 300_000))}
    touched = dict(zip(sizes, (600_000, 50_000_000, 30_000_000), strict=True))

    def write(renamed=""):
        accesses = [
            {"allocation": renamed + name, "processor": "gpu", "read": read, "written": 0}
            for name, read in touched.items()
        ]
        trace = {
            "schema": "watari-trace-1",
            "name": "linked",
            "allocations": [{"name": renamed + n, "bytes": size} for n, size in sizes.items()],
            "phases": [{"name": "gpu", "accesses": accesses}],
        }
        (tmp_path / "trace.json").write_text(json.dumps(trace))

    write()
    options = ("--fit", "1MB", "--trace", "trace.json", "--styles", "pinned")
    ended, styles = attempt(tmp_path, *words, options=options)
    assert "those that the GPU touches least" in ended.stdout, ended.stderr
    assert quantity(styles["pinned"], "moved_bytes") == 600_000
    write(renamed="other")
    ended, _ = attempt(tmp_path, *words, options=options, code=2)
    assert "has none of the program's allocations" in ended.stderr
