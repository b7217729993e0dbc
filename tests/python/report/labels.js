// Tells the page around this one, by a message, the labels of figures that do not fit: cut by the
// edge of their box, or crossed by a line; figures that are not folded. labels.py adds this to a page, after the page's own script.
(async () => {
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  while (document.body.dataset.drawn === undefined) await wait(50);
  const found = new Set();
  const within = (p, box) => p.x > box.left + 1 && p.x < box.right - 1 && p.y > box.top + 3 && p.y < box.bottom - 3;

  function crossed(stroke, box) {
    const whole_box = stroke.getBoundingClientRect();
    if (whole_box.right < box.left || whole_box.left > box.right || whole_box.bottom < box.top || whole_box.top > box.bottom) return false;
    const [at, whole] = [stroke.getScreenCTM(), stroke.getTotalLength()];
    for (let i = 0; i <= 300; i += 1) {
      if (within(stroke.getPointAtLength((whole * i) / 300).matrixTransform(at), box)) return true;
    }
    return false;
  }

  let texts = 0;
  for (const chart of document.querySelectorAll(".chart")) {
    const svg = chart.querySelector("svg");
    if (!svg || chart.closest("details:not([open])")) continue;
    const [edge, room] = [svg.getBoundingClientRect(), chart.getBoundingClientRect()];
    const strokes = [...svg.querySelectorAll(".mark-line path, .mark-rule.role-mark line")];
    for (const text of svg.querySelectorAll("text")) {
      if (!text.textContent.trim() || text.getAttribute("opacity") === "0") continue;
      texts += 1;
      const box = text.getBoundingClientRect();
      const name = `${chart.id}: ${text.textContent}`;
      const over = (a) => Math.max(a.left - box.left, box.right - a.right, a.top - box.top, box.bottom - a.bottom);
      if (over(edge) > 1) found.add(`${name}: cut by ${Math.round(over(edge))} px`);
      else if (box.right > room.right + 1) found.add(`${name}: beyond its box by ${Math.round(box.right - room.right)} px`);
      if (strokes.some((stroke) => crossed(stroke, box))) found.add(`${name}: crossed`);
    }
  }
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) found.add(`the page is ${wide} px wider than the screen`);
  parent.postMessage({ texts, width: window.innerWidth, found: [...found] }, "*");
})();
