"""How a page looks to axe: https://github.com/dequelabs/axe-core."""

from typing import Any

import pytest

from helpers.browser import settle

# Streamlit's own markup, as narrow as it can be said. What lies in our components is never
# left out.
NOT_OURS: dict[str, tuple[str, ...]] = {}


def violations(page: Any) -> list[tuple[str, str]]:
    """What axe calls serious or critical, without what is Streamlit's own."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    settle(page)
    found: list[dict[str, Any]] = axe.run(page).response["violations"]
    return [
        (rule["id"], node["html"][:300])
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if not any(part in node["html"] for part in NOT_OURS.get(rule["id"], ()))
    ]
