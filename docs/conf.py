"""The documentation site (make docs): Sphinx over the Markdown that scripts/site.py puts together."""

project = "Shoal"
html_title = "Shoal"
copyright = "the authors of Shoal"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4  # links name headings as they do on a page of the repository
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
