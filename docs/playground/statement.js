// The text of statements: where each ends, and the arguments of the call in it. Strings, names and comments are passed over.
const PART = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$/y;

// The statements of a text, without the semicolons.
export function split(text) {
  const found = [];
  let start = 0;
  for (let i = 0; i < text.length; ) {
    PART.lastIndex = i;
    const part = PART.exec(text);
    if (part) i += part[0].length;
    else if (text[i++] === ";") {
      found.push(text.slice(start, i - 1));
      start = i;
    }
  }
  found.push(text.slice(start));
  return found.map((one) => one.trim()).filter((one) => one.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim());
}

const CALL = /\b([a-z0-9]+)_project\s*\(/gi;

// The only call of a projection in a text: its function, where its arguments stand, and what they are. null for none or several.
export function call(text) {
  const calls = [...text.matchAll(CALL)];
  if (calls.length !== 1) return null;
  const [open, method] = calls[0];
  const from = calls[0].index + open.length;
  let deep = 1;
  let to = from;
  const commas = [from - 1];
  while (to < text.length) {
    PART.lastIndex = to;
    const part = PART.exec(text);
    if (part) to += part[0].length;
    else {
      const letter = text[to];
      if ("([{".includes(letter)) deep++;
      if (")]}".includes(letter) && !--deep) break;
      if (letter === "," && deep === 1) commas.push(to);
      to++;
    }
  }
  if (deep) return null;
  const given = commas.map((comma, i) => text.slice(comma + 1, commas[i + 1] ?? to).trim());
  const named = Object.fromEntries(
    given.map((one) => one.match(/^(\w+)\s*(?::=|=>)\s*([\s\S]*)$/)).filter(Boolean).map(([, name, value]) => [name.toLowerCase(), value]),
  );
  const table = given[0]?.match(/^'((?:[^']|'')*)'$/)?.[1].replace(/''/g, "'");
  return { method: method.toLowerCase(), table, named, from, to, start: calls[0].index };
}

// The text with one argument set, or without it where the value is null.
export function set(text, name, value) {
  const found = call(text);
  const inside = text.slice(found.from, found.to);
  const there = new RegExp(`,\\s*${name}\\s*(?::=|=>)\\s*('(?:[^']|'')*'|[^,'()\\[\\]]+)`, "i");
  const written = value === null ? "" : `, ${name} := ${value}`;
  const changed = there.test(inside) ? inside.replace(there, () => written) : inside.trimEnd() + written;
  return text.slice(0, found.from) + changed + text.slice(found.to);
}
