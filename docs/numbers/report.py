"""Where the numbers of docs/report.md come from."""

from recompute import Page

page = Page("docs/report.md")
page.given("a setting of the browser", "a screen of 400 pixels", "The same page, 400 pixels wide")
