// Draws every figure from the specification that stands beside it; one after the other, so that
// the page can be read meanwhile. `data-drawn` on the body reports when all are drawn.
// In a scope of its own: the bundle has short names in the global one.
(() => {
"use strict";
const charts = [...document.querySelectorAll(".chart")];
const specs = new Map(charts.map((c) => [c, JSON.parse(c.nextElementSibling.textContent)]));

const NARROW = 620; // pixels of room: panels stand one below the other
const LEGIBLE = 1.35; // a chart that is wider than its room by less than this shrinks as a picture

async function draw(chart) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const tooltip = { theme: dark ? "dark" : "light" };
  const options = { mode: "vega-lite", renderer: "svg", actions: false, tooltip };
  try {
    await vegaEmbed(chart, specs.get(chart), options);
    return true;
  } catch (error) {
    chart.textContent = `This figure could not be drawn: ${error}`;
    console.error(error);
    return false;
  }
}

const drawnWidth = (chart) => Number(chart.querySelector("svg.marks")?.getAttribute("width"));

(async () => {
  const HALF = 700; // pixels: two such charts stand side by side
  let drawn = 0;
  for (const chart of charts) {
    if (await draw(chart)) drawn += 1;
    const alone = chart.closest(".charts").children.length === 1;
    if (!alone && drawnWidth(chart) <= HALF) chart.closest("figure").classList.add("half");
  }
  for (const chart of charts) await fit(chart);
  document.body.dataset.drawn = drawn;
})();

// A chart is as wide as the text, or as half of it beside another one: its panels share what is
// left. A folded chart has no width before it is opened.
async function fit(chart) {
  if (!chart.clientWidth || !drawnWidth(chart)) return;
  const narrow = chart.clientWidth < NARROW;
  if (narrow && stack(specs.get(chart))) await draw(chart);
  const [room, wide] = [chart.clientWidth, drawnWidth(chart)];
  if (Math.abs(room - wide) < 8) return;
  grow(specs.get(chart), room - wide, narrow ? 90 : 170);
  await draw(chart);
  chart.classList.toggle("shrunk", drawnWidth(chart) <= LEGIBLE * room);
}

// Panels that stand side by side stand one below the other on a narrow screen. Returns whether any
// did.
function stack(spec) {
  let changed = false;
  if (spec.concat && (spec.columns || spec.concat.length) > 1) {
    spec.columns = 1;
    changed = true;
  }
  if (spec.hconcat) {
    spec.vconcat = spec.hconcat;
    delete spec.hconcat;
    changed = true;
  }
  for (const panel of spec.concat || spec.vconcat || []) changed = stack(panel) || changed;
  return changed;
}

function grow(spec, pixels, LEAST) {
  const panels = spec.hconcat || spec.concat;
  if (panels) {
    const columns = Math.min(spec.columns || panels.length, panels.length);
    for (const panel of panels) grow(panel, pixels / columns, LEAST);
  }
  for (const panel of spec.vconcat || spec.layer || []) grow(panel, pixels, LEAST);
  if (spec.facet?.row && !spec.facet.column) grow(spec.spec, pixels, LEAST);
  const width = spec.width;
  if (typeof width !== "number") return;
  const image = spec.layer?.find((one) => one.mark?.type === "image")?.mark;
  if (image) { // keeps its shape, and is never larger than it was made
    image.width = spec.width = Math.floor(Math.min(width, Math.max(LEAST, width + pixels)));
    image.height = spec.height = Math.round(spec.height * spec.width / width);
    return;
  }
  const least = spec.name?.startsWith("whole") ? width : LEAST; // its labels need all of it
  spec.width = Math.floor(Math.max(Math.min(width, least), width + pixels));
}

document.addEventListener("toggle", async (event) => {
  for (const chart of event.target.querySelectorAll(".chart")) await fit(chart);
}, true);

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
})();
