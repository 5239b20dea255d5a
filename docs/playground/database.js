// DuckDB-Wasm in a worker of the page, with sqlrp's functions and the three tables. Everything comes from this folder.
import * as duckdb from "@duckdb/duckdb-wasm";

export const TABLES = ["digits", "photographs", "words"];

export async function open(base, said) {
  const at = (name) => new URL(name, base).href;
  const texts = fetch(at("duckdb.sql")).then((answer) => answer.text());
  const files = TABLES.map((name) =>
    fetch(at(`${name}.arrow`)).then((answer) => answer.arrayBuffer()));
  const worker = new Worker(at("duckdb-browser-eh.worker.js"));
  const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
  said("Loading DuckDB …");
  await database.instantiate(at("duckdb-eh.wasm"));
  await database.open({ query: { castBigIntToDouble: true, castDecimalToDouble: true } });
  const connection = await database.connect();
  // No extension is fetched, even where a statement names a function of one.
  await connection.query("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false");
  said("Loading the tables …");
  for (const [i, name] of TABLES.entries())
    await connection.insertArrowFromIPCStream(new Uint8Array(await files[i]), { name, create: true });
  said("Creating sqlrp's functions …");
  await connection.query(await texts);
  const version = (await rows(connection, "SELECT version() AS v")).values[0][0];
  return { connection, version };
}

// The names, and the rows as plain values: numbers, strings, arrays of numbers.
export async function rows(connection, sql) {
  const found = await connection.query(sql);
  const names = found.schema.fields.map((field) => field.name);
  const columns = names.map((_, i) => found.getChildAt(i));
  const values = Array.from({ length: found.numRows }, (_, r) => columns.map((column) => plain(column.get(r))));
  return { names, values };
}

function plain(value) {
  if (typeof value === "bigint") return Number(value);
  if (value !== null && typeof value === "object" && typeof value.toArray === "function")
    return Array.from(value.toArray(), plain);
  return value;
}
