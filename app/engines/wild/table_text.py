"""The record as a table of text, for the command line."""

from engines.wild.record import Row, Wild


def table(record: Wild) -> str:
    """A line a path, then what could not run and why."""
    lines = [f"{'engine':<20} {'path':<42} {'control':<9} {'verdict':<9} size"]
    for row in record.rows:
        size = _size(row)
        who = f"{row.engine[:20]:<20} {row.path[:42]:<42}"
        lines.append(f"{who} {row.control.verdict:<9} {row.verdict:<9} {size}")
    for rest in record.not_run:
        lines.append(f"not run: {rest.engine} {rest.version}, {rest.path}: {rest.reason}")
    return "\n".join(lines)


def _size(row: Row) -> str:
    worst = row.found.worst
    if row.verdict == "deviates":
        return f"{worst.effect:.3f} at {worst.setting} ({worst.texts:,} texts)"
    return f"would have seen {row.found.sees:.3f} ({row.found.texts:,} texts)"
