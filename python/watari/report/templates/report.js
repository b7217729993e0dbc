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
      drawn += 1;
    } catch (error) {
      chart.textContent = `This figure could not be drawn: ${error}`;
      console.error(error);
    }
  }
  document.body.dataset.drawn = drawn;
})();
