"""How these pages are set: one column of text, figures as wide as they need."""

from widgets.reading_style import body_style, lesson_style

_RULES = """
.st-key-audit-body h2 { padding: 1.6rem 0 .5rem; }
.st-key-audit-body h3 { font-size: 1.2rem; padding: .6rem 0 0; }
.st-key-audit-body p, .st-key-audit-body li { max-width: 44em; line-height: 1.5; }
.st-key-audit-body table { font-variant-numeric: tabular-nums; font-size: .9rem; }
"""


def audit_style() -> None:
    """Put it on the page."""
    lesson_style()
    body_style("audit-body", 1080, _RULES)
