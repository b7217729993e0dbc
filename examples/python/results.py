"""The samples of a result file as a table of pandas, one row a sample.

watari run copy memory=pageable size=64MiB trials=2 samples=10 -o copies.json
python examples/python/results.py copies.json
"""

import sys

import watari

if len(sys.argv) != 2:
    sys.exit("usage: python examples/python/results.py RESULTS.json")
samples = watari.load(sys.argv[1])
ok = samples[samples["status"] == "ok"]
for case, rows in ok.groupby("case"):
    print(f"{case}: {len(rows)} samples, median {rows['host_s'].median():.3g} s")
