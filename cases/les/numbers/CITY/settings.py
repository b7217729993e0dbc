"""Maps, waves, and the settings of mist, trees and comfort, of cases/les/CITY.md."""

from __future__ import annotations

from recompute import Page
from result_files import results

page = Page("cases/les/CITY.md")

# Counts and settings
page.given(
    "settings",
    "city of 64 buildings",
    "are 640 m wide",
    "0.9 m is street",
)
page.given(
    "cases/les/mist.py, command.py, native/les.hpp and native/flow/water/carry.hpp: nozzles, the air at first, the wind",
    "x and y, 3 m above the ground, 1 g/s each",
    "specific humidity of 0.012 at first, 300 K and 1e5 Pa",
    "e^(-t/0.5 s)",
    "water below 1e-24 kg/kg becomes 0",
    "at the start: 270 is",
    "x; 0 is a wind from the north",
    "0.001 m/s² for 4 m/s",
)
page.given(
    "bytes counted in flow/water/moisture.hpp and flow/upwind.hpp",
    "131 bytes a cell and step in fp32 (32 numbers and 3 flags), four more",
    "159 bytes a cell and step in fp32 (39 numbers and 3 flags)",
)
page.given(
    "cases/les/native/flow/bounds.hpp and budget.hpp",
    "no l falls below 0",
    "largest Courant number is 1.61",
)
page.given(
    "the square of the measure's response, sin(pi/n)^6: cases/les/tests/cpp/upwind_test.cpp",
    "0.42 of three and 0.016 of six",
)

# Waves of the grid's scale
waves = results("2-core-intel-xeon-x86_64/20261126-les-waves.json")
fluxes = [waves.case("les", advection=by) for by in ("central", "third")]
for m in fluxes:
    page.says(
        f"| `advection={m['advection']}` | {{}} | {{}} | {{}} |",
        m.quantity("grid_scale_share"),
        m.quantity("energy"),
        m.trials[0]["series"]["courant"][-1],
    )
page.says(
    "the budgets miss {} of the water and {} of the heat at most",
    *(max(m.quantity(f"{of}_residual") for m in fluxes) for of in ("water", "heat")),
)
page.given(
    "settings of that run",
    "grid 64x64x32, random city, 100 steps, with mist",
)
page.given(
    "standards and their ranges: ISO 7726, UTCI, and the simulation's own sun",
    "draws an index 1.5 m above",
    "(ISO 7726)",
    "wind 10 m above is 1.3786 times that at 1.5 m",
    "percent at 26.85 C, by default 0.012 kg/kg, as the air before mist (54%)",
    "45 degrees high in the south",
    "below 0.5 m/s (10 m above): such air counts as 0.5 m/s",
    "(air -50 to 50 C, radiant",
    "less air temperature -30 to 70 K, 17 m/s, 5 kPa",
)
page.given(
    "cases/les/trees.py, native/city/leaves.hpp, flow/leaves.hpp, radiation/canopy.hpp, foliage.hpp",
    "crowns 6 m wide, from 3 to 9 m above the ground, 0.5 m² of leaves in each m³",
    "below 0 or above 20 is refused",
    "Cd = 0.2, a the mean",
    "e^(-0.5 LAI) along a ray",
    "and 0.4 of the light",
    "the other 0.6 of the light",
    "(12 bytes a face, 20 a cell in fp32)",
    "0.6 holds for trees",
    "64 rays on each of six planes",
)
page.given(
    "bounds that tests assert: test_les_comfort.py",
    "within 0.03 K of his program",
)
