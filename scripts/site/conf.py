"""Configuration of Sphinx, which makes the site of the pages that stage.py has put together."""

project = "Watari"
copyright = "the authors of Watari"
root_doc = "README"
extensions = ["breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_*"]
html_theme = "furo"
html_title = "Watari"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 6  # the anchors of GitHub, which the pages use in links
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
breathe_projects = {"watari": "../doxygen/xml"}
breathe_default_project = "watari"
breathe_show_include = False
# a line of another program's output in a console's block; C++ types of other headers
suppress_warnings = ["misc.highlighting_failure", "myst.header", "duplicate_declaration.cpp"]
smartquotes = False  # an option has two dashes


def show_examples(app, what, name, obj, options, lines: list[str]) -> None:  # type: ignore[no-untyped-def]
    """An indented block of a docstring is code."""
    for number in range(len(lines) - 1, 1, -1):
        before, above, line = lines[number - 2 : number + 1]
        begins = line.startswith("    ") and not above.strip() and not before.startswith("    ")
        if begins and before.strip() and not before.endswith("::"):
            lines[number:number] = ["::", ""]


def setup(app) -> None:  # type: ignore[no-untyped-def]
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", show_examples)
