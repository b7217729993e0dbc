"""An example of each command, for its help and the man page; a case's own command has its own."""

from __future__ import annotations

EXAMPLES = {
    "probe": "watari probe --json",
    "list": "watari list plans",
    "run": "watari run copy from=pinned to=device size=1MiB,1GiB -o copies.json",
    "report": "watari report run.json -o report.html",
    "compare": "watari compare before.json after.json --threshold 3%",
    "check": "watari check run.json --baseline good.json --threshold copy=5%",
    "export": "watari export run.json -o trials.csv --by trial",
    "effort": "watari effort himeno run.json -o effort.svg",
    "completion": "watari completion bash > ~/.local/share/bash-completion/completions/watari",
    "man": "watari man > watari.1",
}
