// Two charts in SVG and canvas. Colours come from the page's style sheet, so they follow light and dark.
import { theory } from "./measures.js";

const NS = "http://www.w3.org/2000/svg";
const css = (name) => getComputedStyle(document.querySelector("#try")).getPropertyValue(name).trim();
export const SHADES = 14;
export const colour = (i) => css(`--mark-${i}`);

// A point per row at its first two components, coloured by label. `near` is called with the row under the pointer,
// `clicked` with the row that is clicked, and `marks` is the place of each label's colour.
export class Scatter {
  constructor(canvas, near, clicked) {
    this.canvas = canvas;
    this.points = [];
    new ResizeObserver(() => this.draw()).observe(canvas);
    for (const type of ["pointermove", "pointerdown"])
      canvas.addEventListener(type, (event) => near(this.nearest(event), event));
    canvas.addEventListener("click", (event) => clicked(this.nearest(event)));
    canvas.addEventListener("pointerleave", () => near(null));
  }

  show(points, marks) {
    this.points = points;
    this.marks = marks;
    this.draw();
  }

  draw() {
    const { canvas, points } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    if (!points.length) return;
    const range = (of) => {
      const all = points.map(of);
      const [low, high] = [Math.min(...all), Math.max(...all)]; // some thousand values: within the bound of arguments
      return [low, high > low ? high - low : 1];
    };
    const [x0, xs] = range((p) => p.x);
    const [y0, ys] = range((p) => p.y);
    const place = new Map([...this.marks].map(([label, i]) => [label, colour(i)]));
    context.globalAlpha = 0.75;
    this.placed = points.map((p) => [10 + ((p.x - x0) / xs) * (width - 20), height - 10 - ((p.y - y0) / ys) * (height - 20)]);
    const radius = points.length > 500 ? 2.6 : 4;
    points.forEach((p, i) => {
      context.fillStyle = place.get(p.label) ?? colour(0);
      context.beginPath();
      context.arc(...this.placed[i], radius, 0, 2 * Math.PI);
      context.fill();
    });
  }

  nearest(event) {
    if (!this.placed || !this.points.length) return null;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = 14 ** 2;
    this.placed.forEach(([px, py], i) => {
      const far = (px - x) ** 2 + (py - y) ** 2;
      if (far < least) [best, least] = [this.points[i], far];
    });
    return best;
  }
}

const KS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const BOX = { left: 44, right: 10, top: 10, bottom: 34, width: 420, height: 250 };

// Distortion against k: the line of theory, and a point with its range for every setting that was tried.
export class Distortion {
  constructor(svg) {
    this.svg = svg;
    this.tried = [];
  }

  add(k, found, label) {
    this.tried = this.tried.filter((one) => one.label !== label);
    this.tried.push({ k, found, label });
    if (this.tried.length > 40) this.tried.shift();
    this.draw();
  }

  clear() {
    this.tried = [];
    this.draw();
  }

  draw() {
    const { svg, tried } = this;
    const { left, right, top, bottom, width, height } = BOX;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const most = Math.min(2, Math.max(0.8, ...tried.map((one) => one.found.q95 * 1.05)));
    const x = (k) => left + (Math.log2(Math.max(1, k)) / 9) * (width - left - right);
    const y = (v) => height - bottom - (Math.min(v, most) / most) * (height - top - bottom);
    const put = (name, attributes, text) => {
      const made = svg.appendChild(document.createElementNS(NS, name));
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text !== undefined) made.textContent = text;
      return made;
    };
    for (let v = 0; v <= most + 1e-9; v += most > 1 ? 0.5 : 0.2) {
      put("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" });
      put("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, `${Math.round(v * 100)}%`);
    }
    for (const k of KS) put("text", { x: x(k), y: height - bottom + 16, "text-anchor": "middle" }, String(k));
    put("text", { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, "components k");
    const line = [];
    for (let e = 0; e <= 9.001; e += 0.1) if (theory(2 ** e) <= most) line.push(`${x(2 ** e)},${y(theory(2 ** e))}`);
    put("polyline", { points: line.join(" "), class: "theory" });
    put("text", { x: width - right, y: top + 12, "text-anchor": "end" }, "dashed: theory, 2/√(πk)");
    tried.forEach(({ k, found, label }, i) => {
      const last = i === tried.length - 1;
      const group = put("g", { class: last ? "now" : "before" });
      group.append(put("title", {}, label));
      if (last) group.append(put("line", { x1: x(k), x2: x(k), y1: y(found.q05), y2: y(found.q95) }));
      group.append(put("circle", { cx: x(k), cy: y(found.mean), r: last ? 5 : 3 }));
    });
  }
}
