// Draws every figure from the specification that stands beside it; one after the other, so that
// the page can be read meanwhile. `data-drawn` on the body reports when all are drawn.
(async () => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const tooltip = { theme: dark ? "dark" : "light" };
  const options = { mode: "vega-lite", renderer: "svg", actions: false, tooltip };
  let drawn = 0;
  for (const chart of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(chart.nextElementSibling.textContent);
    try {
      await vegaEmbed(chart, spec, options);
      if (widened(chart, spec)) await vegaEmbed(chart, spec, options);
      drawn += 1;
    } catch (error) {
      chart.textContent = `This figure could not be drawn: ${error}`;
      console.error(error);
    }
  }
  document.body.dataset.drawn = drawn;
})();

// A chart is as wide as the text, or as half of it where its figure has several small ones. A chart of
// one panel gets more room on its axis (true: it must be drawn again); others are enlarged a little.
function widened(chart, spec) {
  const LARGEST = 1.03, HALF = 700, GAP = 28, WIDEST = 2.4;
  const svg = chart.querySelector("svg");
  const natural = Number(svg.getAttribute("width"));
  const several = chart.closest(".charts").children.length > 1 && natural <= HALF;
  if (several) chart.closest("figure").classList.add("half");
  const text = document.querySelector("main").clientWidth;
  const room = (several && text > HALF ? (text - GAP) / 2 : text) - natural;
  if (room > 0 && typeof spec.width === "number" && spec.layer) {
    spec.width = Math.min(spec.width + room, WIDEST * spec.width);
    return true;
  }
  svg.style.width = `${Math.round(LARGEST * natural)}px`;
  return false;
}

// A click on a column's title sorts a table by it, a second one the other way round.
function key(cell) {
  const text = cell ? cell.dataset.sort || cell.textContent.trim() : "";
  const match = /^(-?[\d.]+)\s*(%|[kMGT]?i?B|ns|µs|ms|s|k|M)?/.exec(text);
  if (!match) return [1, text];
  const scale = { "%": 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 2 ** 10, MiB: 2 ** 20,
    GiB: 2 ** 30, TiB: 2 ** 40, ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, k: 1e3, M: 1e6 };
  return [0, Number(match[1]) * (scale[match[2]] || 1)];
}

function sort(heading) {
  const table = heading.closest("table");
  const column = [...heading.parentNode.children].indexOf(heading);
  const up = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => [row, key(row.cells[column])]));
  const order = (a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x[0] !== y[0]) return x[0] - y[0];
    const sign = up ? 1 : -1;
    return sign * (typeof x[1] === "number" ? x[1] - y[1] : x[1].localeCompare(y[1]));
  };
  table.tBodies[0].append(...rows.sort(order));
}

// The table as a file, in the order that it is shown in.
function download(button) {
  const table = button.parentNode.querySelector("table");
  const text = (cell) => `"${cell.textContent.trim().replace(/\s+/g, " ").replace(/"/g, '""')}"`;
  const lines = [...table.rows].map((row) => [...row.cells].map(text).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
  link.download = `${button.dataset.name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

document.addEventListener("click", (event) => {
  const heading = event.target.closest("table.sortable thead th");
  if (heading) sort(heading);
  const button = event.target.closest("button.csv");
  if (button) download(button);
  const link = event.target.closest("nav a");
  if (link) document.querySelector(link.getAttribute("href"))?.closest("details")?.setAttribute("open", "");
});
