"""The budgets of a run in words: the water of mist and leaves, the heat, the drag."""

from __future__ import annotations

from typing import Any


def lines(trial: dict[str, Any]) -> list[str]:
    """`0.4 kg of mist: ...`, and what leaves took and gave; the last line has what is missing."""
    of = {name: quantity["value"] for name, quantity in trial["quantities"].items()}
    found = []
    if of.get("mist_released"):
        found.append(
            f"{of['mist_released']:.4g} kg of mist: {of['mist_evaporated']:.4g} kg evaporated, "
            f"{of['mist_droplets']:.4g} kg in droplets"
        )
    if "tree_drag" in of:
        found.append(f"leaves take {of['tree_drag'] / 1e3:.3g} kW from the wind{heat(of)}")
    if found and "water_residual" in of:
        found[-1] += (
            f"; missing {of['water_residual']:.1g} of the water, {of['heat_residual']:.1g} of the "
            "heat"
        )
    return found


def heat(of: dict[str, float]) -> str:
    """What leaves do with light; empty without radiation."""
    if "tree_light" not in of:
        return ""
    return (
        f" and {of['tree_light'] / 1e3:.4g} kW of light; they give "
        f"{of.get('tree_vapour', 0):.4g} kg of vapour and {of['tree_heat'] / 1e3:.4g} kW of heat"
    )
