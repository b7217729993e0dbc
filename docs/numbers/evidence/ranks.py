"""Where the numbers of docs/evidence/ranks.md come from."""

import ranks_table
from recompute import Page
from result_files import results, text

page = Page("docs/evidence/ranks.md")

text(ranks_table.PREDICTED)
for files in ranks_table.sets().values():
    for file in files:
        results(file)
    for row in (*ranks_table.rows(files), *ranks_table.links(files)):
        page.says(row.text, *row.values)
