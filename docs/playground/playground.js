// The playground: an editor whose statement runs in the page, the rows, and two charts of them.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { StandardSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Distortion, Scatter, colour } from "./charts.js";
import { open, rows } from "./database.js";
import { distortion, sample, theory } from "./measures.js";

const SHOWN = 8; // rows of the result
const WIDE = 7; // columns of the result
const SAMPLED = 120; // rows whose distances are measured

const SETS = {
  digits: { about: "1,797 handwritten digits of 8 × 8 pixels: one column per pixel", source: "", s: "sqrt", size: 8 },
  photographs: {
    about: "windows of 50 × 50 pixels of two photographs: one array per row", source: ", array_column := 'pixels'",
    s: "sqrt", size: 50,
  },
  words: {
    about: "words of paragraphs: one row per paragraph and word", source: ", key := 'id', feature := 'word', value := 'n'",
    s: "1",
  },
};

const KS = [2, 4, 8, 16, 32, 64, 128, 256];
const SS = ["1", "3", "sqrt", "20"];
const root = document.querySelector("#try");
const one = (selector) => root.querySelector(selector);
const chosen = { set: "digits", method: "pk", k: 64, s: "sqrt", t: 4, degree: 2, seed: 7 };

const look = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.comment, class: "tok-comment" },
]);
const editor = new EditorView({
  parent: one(".editor"),
  extensions: [
    keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, ...defaultKeymap, ...historyKeymap]),
    history(),
    lineNumbers(),
    bracketMatching(),
    sql({ dialect: StandardSQL }),
    syntaxHighlighting(look),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "SQL" }),
  ],
});

const scatter = new Scatter(one("canvas"), hovered);
const chart = new Distortion(one(".distortion svg"));
const features = {}; // of each data set that was read: a Map from key to row
let connection;

function statement() {
  const { set, method, k, s, t, degree, seed } = chosen;
  const given = [`k := ${k}`];
  if (method === "pk") given.push(`degree := ${degree}`, `t := ${t}`);
  if (s !== "sqrt") given.push(`s := ${s}`);
  given.push(`seed := ${seed}`);
  return `SELECT * FROM ${method}_project('${set}'${SETS[set].source}, ${given.join(", ")})`;
}

function write(text) {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}

function status(text, failed = false) {
  one(".status").textContent = text;
  one(".status").classList.toggle("failed", failed);
}

let running = Promise.resolve();
let waiting = false;

// One statement at a time. Of those that come while one runs, only the last is run.
function run() {
  if (waiting) return running;
  waiting = true;
  running = running.then(async () => {
    waiting = false;
    root.dataset.state = "running";
    try {
      const text = editor.state.doc.toString().trim().replace(/;+$/, "");
      const start = performance.now();
      const found = await rows(connection, text);
      const taken = performance.now() - start;
      status(`${found.values.length.toLocaleString("en")} rows in ${Math.round(taken).toLocaleString("en")} ms`);
      table(found);
      await draw(text, found);
      root.dataset.state = "done";
    } catch (error) {
      status(String(error.message ?? error).trim(), true);
      root.dataset.state = "failed";
    }
    root.dataset.runs = Number(root.dataset.runs ?? 0) + 1;
  });
  return running;
}

function table({ names, values }) {
  const cut = names.length > WIDE ? [...names.slice(0, WIDE), "…"] : names;
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const name of cut) head.append(Object.assign(document.createElement("th"), { textContent: name }));
  const body = made.createTBody();
  for (const row of values.slice(0, SHOWN)) {
    const line = body.insertRow();
    row.slice(0, WIDE).forEach((value) => {
      const cell = line.insertCell();
      cell.textContent = short(value);
      cell.title = Array.isArray(value) ? value.join(", ") : String(value);
    });
    if (cut !== names) line.insertCell().textContent = "…";
  }
  one(".rows").replaceChildren(made);
}

function short(value) {
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) return `[${value.slice(0, 3).map(short).join(", ")}${value.length > 3 ? ", …" : ""}]`;
  return value === null ? "NULL" : String(value);
}

// The components of a result: columns z0, z1, … or one array z. null if it has none.
function components({ names, values }) {
  const array = names.indexOf("z");
  if (array >= 0 && Array.isArray(values[0]?.[array])) return values.map((row) => row[array]);
  const places = [];
  for (let i = 0, at; (at = names.indexOf(`z${i}`)) >= 0; i++) places.push(at);
  return places.length ? values.map((row) => places.map((at) => row[at])) : null;
}

async function draw(text, found) {
  const set = Object.keys(SETS).find((name) => text.includes(`'${name}'`)) ?? null;
  const z = components(found);
  const key = found.names.indexOf("id");
  if (!set || !z || key < 0 || (z[0]?.length ?? 0) < 2) {
    scatter.show([], []);
    one(".legend").replaceChildren();
    one(".measured").textContent = "The charts need an id and components z0, z1 … of one of the three tables.";
    return;
  }
  const rows_ = await read(set);
  const keys = found.values.map((row) => row[key]);
  const labels = [...new Set([...rows_.values()].map((row) => row.label))].sort();
  scatter.show(keys.map((id, i) => ({ id, set, x: z[i][0], y: z[i][1], label: rows_.get(id)?.label })), labels);
  legend(labels);
  measure(text, set, keys, z, rows_);
}

function legend(labels) {
  one(".legend").replaceChildren(...labels.map((label, i) => {
    const item = document.createElement("li");
    item.textContent = label;
    item.style.setProperty("--mark", colour(i));
    return item;
  }));
}

function measure(text, set, keys, z, rows_) {
  const call = text.match(/\b(rp|pk)_project\s*\(/i);
  const number = (name, without) => Number(text.match(new RegExp(`\\b${name}\\s*:=\\s*([0-9.]+)`, "i"))?.[1] ?? without);
  if (!call || /\bscale\s*:=\s*false/i.test(text)) {
    one(".measured").textContent = "Distortion is measured for rp_project and pk_project, scaled.";
    return;
  }
  const polynomial = call[1].toLowerCase() === "pk";
  const place = new Map(keys.map((id, i) => [id, i]));
  const picked = sample([...place.keys()].filter((id) => rows_.has(id)), SAMPLED);
  const found = distortion(
    picked.map((id) => rows_.get(id).x), picked.map((id) => z[place.get(id)]),
    polynomial ? number("degree", 2) : 1, polynomial ? number("c", 0) : 0,
  );
  const k = z[0].length;
  chart.add(k, found, `${call[1]}_project('${set}'), ${text.match(/k\s*:=.*(?=\))/)?.[0] ?? ""}`);
  const of = polynomial ? "the kernel's squared distances" : "squared distances";
  one(".measured").textContent =
    `k = ${k}: ${of} are off by ${percent(found.mean)} on average (theory for Gaussian weights: ${percent(theory(k))}), ` +
    `and 90% of them by ${percent(found.q05)} to ${percent(found.q95)}. ${found.pairs.toLocaleString("en")} pairs.`;
  one(".measured").dataset.mean = found.mean;
}

const percent = (share) => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}%`;

// The rows of a table before the projection, by key, read once.
async function read(set) {
  if (features[set]) return features[set];
  const found = new Map();
  if (set === "words") {
    const { values } = await rows(connection, "SELECT id, label, word, n FROM words");
    const place = new Map();
    for (const row of values) if (!place.has(row[2])) place.set(row[2], place.size);
    for (const [id, label, word, n] of values) {
      if (!found.has(id)) found.set(id, { label, x: new Float64Array(place.size), words: [] });
      found.get(id).x[place.get(word)] = n;
      found.get(id).words.push(word);
    }
  } else {
    const { names, values } = await rows(connection, `SELECT * FROM ${set}`);
    const [id, label] = [names.indexOf("id"), names.indexOf("label")];
    const array = names.indexOf("pixels");
    for (const row of values)
      found.set(row[id], { label: row[label], x: array >= 0 ? row[array] : row.filter((_, i) => i !== id && i !== label) });
  }
  return (features[set] = found);
}

function hovered(point, event) {
  const tip = one(".tip");
  tip.hidden = !point;
  if (!point) return;
  const row = features[point.set].get(point.id);
  const picture = tip.querySelector("canvas");
  const { size } = SETS[point.set];
  picture.hidden = !size;
  if (size) {
    picture.width = picture.height = size;
    const most = Math.max(...row.x);
    const pixels = new ImageData(size, size);
    row.x.forEach((value, i) => pixels.data.set([0, 0, 0, 255].fill(Math.round((value / most) * 255), 0, 3), 4 * i));
    picture.getContext("2d").putImageData(pixels, 0, 0);
  }
  tip.querySelector("span").textContent = `${point.label}, row ${point.id}${row.words ? `: ${row.words.slice(0, 6).join(" ")} …` : ""}`;
  const box = one(".scatter").getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 150)}px`;
  tip.style.top = `${event.clientY - box.top + 12}px`;
}

function controls() {
  for (const button of root.querySelectorAll("button[data-set], button[data-method]"))
    button.addEventListener("click", () => {
      if (button.dataset.set) Object.assign(chosen, { set: button.dataset.set, s: SETS[button.dataset.set].s });
      if (button.dataset.set) chart.clear();
      if (button.dataset.method) chosen.method = button.dataset.method;
      changed();
    });
  for (const input of root.querySelectorAll("input[type=range]"))
    input.addEventListener("input", () => {
      const value = Number(input.value);
      chosen[input.name] = input.name === "k" ? KS[value] : input.name === "s" ? SS[value] : value;
      changed();
    });
  one("button.run").addEventListener("click", run);
  reflect();
}

// The page's other blocks of SQL can be tried, too.
function blocks() {
  for (const block of document.querySelectorAll(".md-content .language-sql")) {
    const button = Object.assign(document.createElement("button"), { className: "try-it", textContent: "Try it" });
    button.addEventListener("click", () => {
      write(block.querySelector("code").textContent.trim());
      root.scrollIntoView({ behavior: "smooth" });
      if (connection) run();
    });
    block.append(button);
  }
}

function changed() {
  reflect();
  write(statement());
  if (connection) run();
}

// The controls show what is chosen.
function reflect() {
  for (const button of root.querySelectorAll("button[data-set]"))
    button.setAttribute("aria-pressed", button.dataset.set === chosen.set);
  for (const button of root.querySelectorAll("button[data-method]"))
    button.setAttribute("aria-pressed", button.dataset.method === chosen.method);
  for (const input of root.querySelectorAll("input[type=range]")) {
    const { name } = input;
    input.value = name === "k" ? KS.indexOf(chosen.k) : name === "s" ? SS.indexOf(chosen.s) : chosen[name];
    input.disabled = chosen.method === "rp" && (name === "t" || name === "degree");
    root.querySelector(`output[for=${name}]`).textContent = name === "s" && chosen.s === "sqrt" ? "√d" : chosen[name];
  }
  // The number of words is not known, so √d is not defined for them.
  one("input[name=s]").max = SS.length - 1;
  one(".about").textContent = SETS[chosen.set].about;
}

controls();
blocks();
write(statement());
chart.draw();
new MutationObserver(() => scatter.draw()).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
try {
  const opened = await open(new URL("./", import.meta.url), status);
  connection = opened.connection;
  one(".version").textContent = `DuckDB ${opened.version} in this page`;
  one("button.run").disabled = false;
  await run();
} catch (error) {
  status(`DuckDB could not be started: ${error.message ?? error}`, true);
  root.dataset.state = "failed";
}
