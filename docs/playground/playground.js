// The playground: an editor whose statements run in the page, the rows, two charts of them, and the neighbours of a row.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { StandardSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Distortion, SHADES, Scatter, colour } from "./charts.js";
import { described, load, open, quoted, rows, string } from "./database.js";
import { codes, distortion, nearest, sample, theory } from "./measures.js";
import { call, set, split } from "./statement.js";

const SHOWN = 8; // rows of the result
const WIDE = 7; // columns of the result
const SAMPLED = 120; // rows whose distances are measured
const DRAWN = 3000; // rows that are drawn, and among which neighbours are looked for
const NEAREST = 10;
const CANDIDATES = 100; // rows that the signs alone take
const ASKED = 40; // rows whose nearest are looked for by the signs

const SETS = {
  docstrings: {
    about: "embeddings of 989 docstrings of Python, 384 numbers each: one array per row", source: ", array_column := 'e'",
    s: "sqrt", k: 256, label: "label", array: "e", title: "name",
  },
  digits: { about: "1,797 handwritten digits of 8 × 8 pixels: one column per pixel", source: "", s: "sqrt", size: 8, label: "label" },
  photographs: {
    about: "windows of 50 × 50 pixels of two photographs: one array per row", source: ", array_column := 'pixels'",
    s: "sqrt", size: 50, label: "label", array: "pixels",
  },
  words: {
    about: "words of paragraphs: one row per paragraph and word", source: ", key := 'id', feature := 'word', value := 'n'",
    s: "1", label: "label",
  },
};

const OURS = Object.keys(SETS);
const KS = [2, 4, 8, 16, 32, 64, 128, 256];
const SS = ["1", "3", "sqrt", "20"];
const WITHOUT = { k: 64, s: "sqrt", t: 4, degree: 2, seed: 0 }; // what the functions take where nothing is said
const here = new URL("./", import.meta.url);
const root = document.querySelector("#try");
const one = (selector) => root.querySelector(selector);
const made = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const chosen = { set: "docstrings", method: "rp", k: 256, s: "sqrt", t: 4, degree: 2, seed: 7 };

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
    EditorView.updateListener.of((update) => update.docChanged && follow()),
  ],
});

const scatter = new Scatter(one(".scatter > canvas"), hovered, (point) => point && live() && look_up(point.id));
const chart = new Distortion(one(".distortion svg"));
const features = {}; // of each table that was read: a Map from key to row
let connection;
let shown = null; // what the charts show: table, keys, components, kernel

const live = () => connection && shown;
const text = () => editor.state.doc.toString().trim();

function statement() {
  const { set: table, method, k, s, t, degree, seed } = chosen;
  const given = [`k := ${k}`];
  if (method === "pk") given.push(`degree := ${degree}`, `t := ${t}`);
  if (s !== "sqrt") given.push(`s := ${s}`);
  given.push(`seed := ${seed}`);
  return `SELECT * FROM ${method}_project(${string(table)}${SETS[table].source}, ${given.join(", ")})`;
}

function write(words) {
  if (words !== editor.state.doc.toString())
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: words } });
}

function status(words, failed = false) {
  one(".status").textContent = words;
  one(".status").classList.toggle("failed", failed);
}

let running = Promise.resolve();
let waiting = false;

// One text at a time. Of those that come while one runs, only the last is run.
function run() {
  if (!connection || waiting) return running;
  waiting = true;
  running = running.then(async () => {
    waiting = false;
    root.dataset.state = "running";
    const parts = split(text());
    let number = 0;
    try {
      if (!parts.length) throw new Error("There is no statement: write one, or move a slider.");
      const start = performance.now();
      let found;
      for (const part of parts) {
        number++;
        found = await rows(connection, part);
      }
      const taken = Math.round(performance.now() - start).toLocaleString("en");
      const which = parts.length > 1 ? `${parts.length} statements in ${taken} ms; the last one has ` : "";
      status(`${which}${found.count.toLocaleString("en")} rows${which ? "" : ` in ${taken} ms`}${nulls(found)}`);
      table(found);
      await draw(parts.at(-1), found);
      remember();
      await show_sql();
      root.dataset.state = "done";
    } catch (error) {
      clear();
      const where = parts.length > 1 && number ? `Statement ${number} of ${parts.length}: ` : "";
      status(where + String(error.message ?? error).trim(), true);
      root.dataset.state = "failed";
    }
    root.dataset.runs = Number(root.dataset.runs ?? 0) + 1;
  });
  return running;
}

// Nothing of an earlier statement stays.
function clear(words = "") {
  shown = null;
  one(".rows").replaceChildren();
  scatter.show([], new Map());
  chart.clear();
  one(".legend").replaceChildren();
  one(".measured").textContent = words;
  delete one(".measured").dataset.mean;
  one(".neighbours").hidden = true;
  one(".codes").textContent = "";
  one(".tip").hidden = true;
}

function table({ names, count, at }) {
  const cut = names.length > WIDE ? [...names.slice(0, WIDE), "…"] : names;
  const element = made("table", { className: "result" });
  const head = element.createTHead().insertRow();
  for (const name of cut) head.append(made("th", { scope: "col", textContent: name }));
  const body = element.createTBody();
  for (let row = 0; row < Math.min(SHOWN, count); row++) {
    const line = body.insertRow();
    for (let column = 0; column < Math.min(WIDE, names.length); column++) {
      const value = at(row, column);
      const cell = line.insertCell();
      cell.textContent = short(value);
      cell.title = Array.isArray(value) ? value.join(", ") : String(value);
    }
    if (cut !== names) line.insertCell().textContent = "…";
  }
  one(".rows").replaceChildren(element);
}

function short(value) {
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) return `[${value.slice(0, 3).map(short).join(", ")}${value.length > 3 ? ", …" : ""}]`;
  return value === null ? "NULL" : String(value);
}

// What to say of rows whose components are NULL.
function nulls(found) {
  const of = components(found);
  let count = 0;
  for (let row = 0; of && row < found.count; row++) if (!whole(of(row))) count++;
  return count ? `; ${count.toLocaleString("en")} of them became NULL, as a feature is NULL (nulls := 'zero' reads it as 0)` : "";
}

const whole = (z) => z !== null && z.every((value) => value !== null);

// How to read the components of a row: columns z0, z1, … or one array z. null if there are none.
function components({ names, count, at }) {
  const array = names.indexOf("z");
  if (array >= 0 && Array.from({ length: count }, (_, row) => row).some((row) => Array.isArray(at(row, array)))) return (row) => at(row, array);
  const places = [];
  for (let i = 0, place; (place = names.indexOf(`z${i}`)) >= 0; i++) places.push(place);
  return places.length && count ? (row) => places.map((place) => at(row, place)) : null;
}

async function draw(part, found) {
  const of = components(found);
  const key = found.names.findIndex((name) => name.toLowerCase() === "id");
  const table_ = Object.keys(SETS).find((name) => part.includes(string(name)));
  if (!table_ || !of || key < 0 || (of(0) ?? [0, 0]).length < 2) {
    const kept = one(".rows").firstChild;
    clear("The charts need an id and components z0, z1 … of one of the tables.");
    one(".rows").replaceChildren(kept);
    return;
  }
  const before = await read(table_);
  const drawn = [];
  for (let row = 0; row < found.count; row++)
    if (before.has(found.at(row, key)) && whole(of(row))) drawn.push({ id: found.at(row, key), z: of(row) });
  const { marks, named } = colours(drawn.map((row) => before.get(row.id).label));
  scatter.show(drawn.map(({ id, z }) => ({ id, set: table_, x: z[0], y: z[1], label: named(before.get(id).label) })), marks);
  legend(marks);
  const called = call(part);
  const number = (name) => Number(called?.named[name] ?? { degree: 2, c: 0 }[name]);
  const kernel = called?.method === "pk" ? [number("degree"), number("c")] : [1, 0];
  shown = { table: table_, drawn, before, kernel };
  measure(called, table_, drawn, before, kernel);
  measure_signs(called, drawn, before);
  one(".neighbours").hidden = false;
  const box = one(".neighbours input");
  const asked = box.dataset.of === table_ && drawn.some((row) => String(row.id) === box.value);
  const wanted = asked ? box.value : clearest(table_, drawn, before)?.id;
  box.dataset.of = table_;
  if (wanted !== undefined) look_up(wanted);
}

// The row to begin with: of photographs that with the most contrast, as many windows show the sky alone.
function clearest(table_, drawn, before) {
  const { size, array } = SETS[table_];
  if (!size || !array) return drawn[0];
  const contrast = ({ id }) => Math.max(...before.get(id).x) - Math.min(...before.get(id).x);
  return drawn.slice(0, 200).reduce((best, row) => (contrast(row) > contrast(best) ? row : best), drawn[0]);
}

// A colour for each label; with more than there are colours, one for all of the rarest.
function colours(labels) {
  const counts = new Map();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const often = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const kept = new Set(often.length > SHADES ? often.slice(0, SHADES - 1) : often);
  const names = [...kept].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
  if (kept.size < often.length) names.push("others");
  return { marks: new Map(names.map((name, i) => [name, i])), named: (label) => (kept.has(label) ? label : "others") };
}

function legend(marks) {
  one(".legend").replaceChildren(...[...marks].filter(([label]) => label !== "").map(([label, i]) => {
    const item = made("li", { textContent: label });
    item.style.setProperty("--mark", colour(i));
    return item;
  }));
}

function measure(called, table_, drawn, before, kernel) {
  const line = one(".measured");
  delete line.dataset.mean;
  if (!["rp", "pk"].includes(called?.method) || /^false$/i.test(called.named.scale ?? "")) {
    line.textContent = "Distortion is measured for rp_project and pk_project, scaled.";
    return;
  }
  const picked = sample(drawn, SAMPLED).filter(({ z }) => z.every((value) => value !== null));
  const found = distortion(picked.map((row) => before.get(row.id).x), picked.map((row) => row.z), ...kernel);
  if (!found.pairs) {
    line.textContent = "There are no two different rows to measure.";
    return;
  }
  const k = drawn[0].z.length;
  chart.add(k, found, `${called.method}_project, ${Object.entries(called.named).map((pair) => pair.join(" := ")).join(", ")}`);
  const of = called.method === "pk" ? "the kernel's squared distances" : "squared distances";
  line.textContent =
    `k = ${k}: ${of} are off by ${percent(found.mean)} on average (theory for Gaussian weights: ${percent(theory(k))}), ` +
    `and 90% of them by ${percent(found.q05)} to ${percent(found.q95)}. ${found.pairs.toLocaleString("en")} pairs.`;
  line.dataset.mean = found.mean;
}

// What is left where only the signs of the components are kept.
function measure_signs(called, drawn, before) {
  const line = one(".codes");
  line.textContent = "";
  if (called?.method !== "rp" || drawn.length < 3 * CANDIDATES) return;
  const share = codes(drawn.map(({ id }) => before.get(id).x), drawn.map(({ z }) => z), NEAREST, CANDIDATES, ASKED);
  const [k, d] = [drawn[0].z.length, before.get(drawn[0].id).x.length];
  line.textContent =
    `The signs of the ${k} components alone are ${Math.ceil(k / 8)} bytes per row, where ${d.toLocaleString("en")} floats are ` +
    `${(4 * d).toLocaleString("en")}. The ${CANDIDATES} rows with the most equal signs hold ${percent(share)} of the true ten nearest.`;
  line.dataset.share = share;
}

const percent = (share) => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}%`;

// The rows of a table before the projection, by key: at most DRAWN of them, which are those that are drawn. Read once.
async function read(name) {
  if (features[name]) return features[name];
  const found = new Map();
  if (name === "words") {
    const { count, at } = await rows(connection, "SELECT id, label, word, n FROM words");
    const place = new Map();
    for (let row = 0; row < count; row++) if (!place.has(at(row, 2))) place.set(at(row, 2), place.size);
    for (let row = 0; row < count; row++) {
      const id = at(row, 0);
      if (!found.has(id)) found.set(id, { label: at(row, 1), x: new Float64Array(place.size), words: [] });
      found.get(id).x[place.get(at(row, 2))] = at(row, 3);
      found.get(id).words.push(at(row, 2));
    }
  } else {
    const { array, label, id = "id", numbers, title } = { numbers: null, ...SETS[name] };
    const label_ = label ? quoted(label) : "''";
    const values = array ? quoted(array) : numbers ? `[${numbers.map((n) => `${quoted(n)}::DOUBLE`).join(", ")}]`
      : `list_value(*COLUMNS('p[0-9]+'))`;
    const title_ = title ? quoted(title) : "NULL";
    const { count, at } = await rows(connection, `SELECT ${quoted(id)}, ${label_}, ${values}, ${title_} FROM ${quoted(name)} ` +
      `ORDER BY hash(${quoted(id)}) LIMIT ${DRAWN}`);
    for (let row = 0; row < count; row++) found.set(at(row, 0), { label: at(row, 1) ?? "NULL", title: at(row, 3), x: (at(row, 2) ?? []).map((value) => value || 0) }); // NULL as nulls := 'zero' reads it
  }
  return (features[name] = found);
}

// What stands for a row: its picture, or its label and words.
function thumbnail(table_, id, before, marked = false) {
  const row = before.get(id);
  const { size } = SETS[table_];
  const words = row.words ? `: ${row.words.slice(0, 6).join(" ")} …` : "";
  const about = row.title ?? row.label;
  const name = `${about === "" ? "" : `${about}, `}row ${id}${words}`;
  const button = made("button", { type: "button", title: name, className: marked ? "kept" : "" });
  button.setAttribute("aria-label", `${name}${marked ? ", in both lists" : ""}`);
  if (size) button.append(picture(row.x, size));
  else button.append(made("span", { textContent: row.title?.replaceAll(".", ".\u200b") ?? (row.words ? row.words.slice(0, 3).join(" ") : `${row.label} ${id}`) }));
  button.addEventListener("click", () => look_up(id));
  return button;
}

function picture(x, size, canvas = made("canvas")) {
  canvas.width = canvas.height = size;
  const most = Math.max(...x);
  const pixels = new ImageData(size, size);
  x.forEach((value, i) => pixels.data.set([0, 0, 0, 255].fill(Math.round((value / most) * 255), 0, 3), 4 * i));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

// The rows nearest to one of the drawn, before the projection and after it.
function look_up(id) {
  const { table: table_, drawn, before, kernel } = shown;
  const at = drawn.findIndex((row) => String(row.id) === String(id));
  one(".neighbours input").value = id;
  const said = one(".neighbours .kept-of");
  if (at < 0) {
    said.textContent = `There is no row ${id} among the ${drawn.length.toLocaleString("en")} rows that are drawn.`;
    for (const list of root.querySelectorAll(".neighbours .list")) list.replaceChildren();
    return;
  }
  const was = nearest(drawn.map((row) => before.get(row.id).x), at, NEAREST, ...kernel);
  const is = nearest(drawn.map((row) => row.z), at, NEAREST);
  const both = new Set(was.filter((place) => is.includes(place)));
  const list = (places) => places.map((place) => thumbnail(table_, drawn[place].id, before, both.has(place)));
  one(".neighbours .asked").replaceChildren(thumbnail(table_, drawn[at].id, before));
  one(".neighbours .was").replaceChildren(...list(was));
  one(".neighbours .is").replaceChildren(...list(is));
  const size = before.get(drawn[at].id).x.length.toLocaleString("en");
  said.textContent = `${both.size} of the ${was.length} nearest by ${size} numbers are among the ${is.length} nearest by ${drawn[at].z.length}.`;
}

function hovered(point, event) {
  const tip = one(".tip");
  tip.hidden = !point;
  if (!point) return;
  const row = features[point.set]?.get(point.id);
  const { size } = SETS[point.set];
  tip.querySelector("canvas").hidden = !size || !row;
  if (size && row) picture(row.x, size, tip.querySelector("canvas"));
  tip.querySelector("span").textContent = `${row?.title ?? point.label}, row ${point.id}${row?.words ? `: ${row.words.slice(0, 6).join(" ")} …` : ""}`;
  const box = one(".scatter").getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 150)}px`;
  tip.style.top = `${event.clientY - box.top + 12}px`;
}

// The SQL that runs: DuckDB's is written by the functions in this page, the others were written when the site was built. Of
// several that are asked for, the last is shown, whichever is answered last.
const prepared = {};
let asked_for = 0;
async function show_sql() {
  const number = ++asked_for;
  const [engine, note, code] = [one(".sql select").value, one(".sql .note"), one(".sql code")];
  if (!one(".sql").open) return;
  const say = (words, written = "") => number === asked_for && ([note.textContent, code.textContent] = [words, written]);
  const part = split(text()).at(-1) ?? "";
  const called = call(part);
  if (!called) return say("The statement does not call one function of sqlrp, so DuckDB runs it as it stands.", part);
  if (engine === "duckdb") {
    if (!connection) return say("The functions write it as soon as DuckDB runs.");
    const asked = `${called.method}_project_sql(${part.slice(called.from, called.to)})`;
    try {
      const written = (await rows(connection, `SELECT ${asked}`)).at(0, 0);
      return say(`DuckDB runs this text, which ${called.method}_project wrote: ${written.length.toLocaleString("en")} characters.`, written);
    } catch (error) {
      return say(String(error.message ?? error).trim());
    }
  }
  const name = one(".sql select").selectedOptions[0].textContent;
  if (typical(called)) {
    const file = `sql-${called.table}-${called.method}.json`;
    prepared[file] ??= fetch(new URL(file, here)).then((answer) => answer.json());
    const written = (await prepared[file])[engine]?.[called.named.k ?? WITHOUT.k];
    if (written) return say(`sqlrp.sql wrote this for ${name} when the site was built, by the same signs.`, written);
  }
  say(`This page has the text for ${name} of these tables at the sliders' k, with seed 7 and the first s, t and degree. ` +
    "Python writes it for any call, with no connection:", python(called, engine));
}

// Whether the text of this call was prepared.
function typical({ table: name, method, named }) {
  if (!OURS.includes(name) || !["rp", "pk"].includes(method)) return false;
  const known = { k: null, seed: "7", degree: "2", t: "4", s: SETS[name].s, key: "'id'", feature: "'word'", value: "'n'", array_column: string(SETS[name].array ?? "") };
  if ((named.seed ?? "0") !== "7" || (name === "words" && named.s !== "1")) return false;
  return Object.entries(named).every(([key, value]) => key in known && (known[key] === null || value.replaceAll("'", "") === known[key].replaceAll("'", "")));
}

function python({ table: name = "table", method, named }, engine) {
  const text_ = (value) => JSON.stringify((value ?? "").replace(/^'|'$/g, ""));
  const source = named.array_column ? `sqlrp.Array("${name}", ${text_(named.array_column)}, n_features=…)`
    : named.feature ? `sqlrp.Long("${name}", key=${text_(named.key)}, feature=${text_(named.feature)}, value=${text_(named.value)})`
      : `sqlrp.Wide("${name}", features=[…])`;
  const cls = { rp: "SparseProjection", pk: "PolynomialKernelProjection" }[method] ?? "…";
  const given = Object.entries(named).filter(([key]) => ["k", "s", "t", "p", "degree", "c", "seed"].includes(key)).map(([key, value]) => `${key}=${value.replaceAll("'", '"')}`);
  return `sqlrp.sql(sqlrp.${cls}(${given.join(", ")}), ${source}, "${engine}")`;
}

// A link to the page as it is: what is behind # does not leave the browser.
function remember() {
  if (text() !== statement.first || location.hash) window.history.replaceState(null, "", link());
}
const link = () => `#sql=${encodeURIComponent(text())}`;
const linked = () => (location.hash.startsWith("#sql=") ? decodeURIComponent(location.hash.slice(5)) : null);

// The controls follow the statement.
function follow() {
  const called = call(split(text()).at(-1) ?? "");
  if (!called) return;
  if (called.table in SETS) chosen.set = called.table;
  if (["rp", "pk"].includes(called.method)) chosen.method = called.method;
  for (const name of Object.keys(WITHOUT)) {
    const given = (called.named[name] ?? String(WITHOUT[name])).replace(/^'|'$/g, "");
    if (name === "s") chosen.s = given;
    else if (/^\d+$/.test(given)) chosen[name] = Number(given);
  }
  reflect();
}

function controls() {
  root.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-set], button[data-method]");
    if (!button) return;
    if (button.dataset.set) {
      const { s, k = 16 } = SETS[button.dataset.set];
        Object.assign(chosen, { set: button.dataset.set, s, k });
      chart.clear();
    }
    if (button.dataset.method) chosen.method = button.dataset.method;
    write(statement());
    run();
  });
  for (const input of root.querySelectorAll("input[type=range]"))
    input.addEventListener("input", () => {
      const value = Number(input.value);
      chosen[input.name] = input.name === "k" ? KS[value] : input.name === "s" ? SS[value] : value;
      const called = call(text());
      if (called?.method !== chosen.method) write(statement());
      else write(set(text(), input.name, chosen[input.name] === "sqrt" ? null : chosen[input.name]));
      run();
    });
  one("button.run").addEventListener("click", run);
  one("button.link").addEventListener("click", async () => {
    window.history.replaceState(null, "", link());
    try {
      await navigator.clipboard.writeText(location.href);
      status("The link is copied. It holds the statement, and no rows.");
    } catch {
      status("The address of this page holds the statement now. Copy it from the browser's bar.");
    }
  });
  addEventListener("hashchange", () => {
    const words = linked();
    if (words !== null && words !== text()) {
      write(words);
      run();
    }
  });
  one(".neighbours form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (live()) look_up(one(".neighbours input").value.trim());
  });
  one("button.random").addEventListener("click", () => {
    if (live()) look_up(shown.drawn[Math.floor(Math.random() * shown.drawn.length)].id);
  });
  one(".sql").addEventListener("toggle", show_sql);
  one(".sql select").addEventListener("change", show_sql);
  const file = one("input[type=file]");
  file.addEventListener("change", () => file.files[0] && take(file.files[0]));
  for (const type of ["dragover", "drop"])
    root.addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      root.classList.toggle("over", type === "dragover");
      if (type === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  root.addEventListener("dragleave", () => root.classList.remove("over"));
}

// A file of the reader's becomes a table, and is projected.
function take(file) {
  running = running.then(async () => {
    root.dataset.state = "running";
    clear();
    try {
      if (!connection) throw new Error("DuckDB is not loaded yet. Take the file once more in a moment.");
      status(`${file.name} is being read …`);
      const name = file.name.replace(/\.\w+$/, "").toLowerCase().replace(/\W+/g, "_").replace(/^(?=\d|$)/, "t") + (OURS.includes(file.name.replace(/\.\w+$/, "").toLowerCase()) ? "_file" : "");
      await load(connection, file, name, here);
      const found = await described(connection, name);
      if (!found.array && found.numbers.length < 2) throw new Error(`${file.name} has no array of numbers and fewer than two columns of numbers, so there is nothing to project.`);
      const size = found.array ? "an array of numbers" : `${found.numbers.length.toLocaleString("en")} columns of numbers`;
      const key = found.id === "id" ? "" : `, key := ${string(found.id)}`;
      SETS[name] = {
        ...found, s: "sqrt", source: key + (found.array ? `, array_column := ${string(found.array)}` : ""),
        about: `${found.count.toLocaleString("en")} rows with ${size}, from ${file.name}. The file stays in this page.`,
      };
      delete features[name];
      chart.clear();
      if (!one(`button[data-set=${CSS.escape(name)}]`)) {
        const button = made("button", { type: "button", textContent: name });
        button.dataset.set = name;
        one(".tables").append(button);
      }
      const k = found.array ? 16 : KS.findLast((size_) => size_ < found.numbers.length) ?? 1;
      Object.assign(chosen, { set: name, method: "rp", s: "sqrt", k: Math.min(k, 16) });
      write(statement());
      reflect();
      root.dataset.file = name;
    } catch (error) {
      status(String(error.message ?? error).trim(), true);
      root.dataset.state = "failed";
      root.dataset.runs = Number(root.dataset.runs ?? 0) + 1;
      return false;
    }
    return true;
  });
  running.then((read_) => read_ && run());
}

// The page's other blocks of SQL can be tried, too.
function blocks() {
  for (const block of document.querySelectorAll(".md-content .language-sql")) {
    const button = made("button", { type: "button", className: "try-it", textContent: "Try it" });
    button.addEventListener("click", () => {
      write(block.querySelector("code").textContent.trim());
      root.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
      run();
    });
    block.append(button);
  }
}

// The controls show what is chosen.
function reflect() {
  for (const button of root.querySelectorAll("button[data-set]"))
    button.setAttribute("aria-pressed", button.dataset.set === chosen.set);
  for (const button of root.querySelectorAll("button[data-method]"))
    button.setAttribute("aria-pressed", button.dataset.method === chosen.method);
  for (const input of root.querySelectorAll("input[type=range]")) {
    const { name } = input;
    const place = (values, value) => values.reduce((best, one_, i) => (Math.abs(one_ - value) < Math.abs(values[best] - value) ? i : best), 0);
    input.value = name === "k" ? place(KS, chosen.k) : name === "s" ? (chosen.s === "sqrt" ? 2 : place([1, 3, NaN, 20], Number(chosen.s))) : chosen[name];
    input.disabled = chosen.method === "rp" && (name === "t" || name === "degree");
    const value = name === "s" && chosen.s === "sqrt" ? "√d" : String(chosen[name]);
    root.querySelector(`output[for=${name}]`).textContent = value;
    input.setAttribute("aria-valuetext", value);
  }
  one(".about").textContent = SETS[chosen.set].about;
}

// The result of the first statement as it was computed when the site was built, until DuckDB runs.
async function first(of) {
  write(linked() ?? of.statement);
  statement.first = of.statement;
  if (linked() !== null && linked() !== of.statement) return;
  table({ names: of.names, count: of.rows.length, at: (row, column) => of.rows[row][column] });
  const { marks } = colours(of.points.map((point) => point[3]));
  scatter.show(of.points.map(([id, x, y, label]) => ({ id, set: chosen.set, x, y, label })), marks);
  legend(marks);
  status(`${of.count.toLocaleString("en")} rows, computed when this page was built. DuckDB is loading …`);
  root.dataset.first = "shown";
}

controls();
reflect();
chart.draw();
new MutationObserver(() => {
  scatter.draw();
  legend(scatter.marks ?? new Map());
}).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
const get = (name) => fetch(new URL(name, here)).then((answer) => answer.json());
const opening = get("first.json").then(first);
get("engines.json").then((engines) => one(".sql select").append(...Object.entries(engines).map(([value, textContent]) => made("option", { value, textContent }))));
blocks();
try {
  const opened = await open(here, (words) => root.dataset.first || status(words));
  await opening;
  connection = opened.connection;
  one(".version").textContent = `DuckDB ${opened.version} in this page`;
  one("button.run").disabled = false;
  await run();
} catch (error) {
  status(`DuckDB could not be started: ${error.message ?? error}`, true);
  root.dataset.state = "failed";
}
