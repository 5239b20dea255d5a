// DuckDB-Wasm in a worker of the page, with sqlrp's functions and the tables. Everything comes from this folder.
import * as duckdb from "@duckdb/duckdb-wasm";

const LABELS = 12; // the most values that a label may have
export const TABLES = ["docstrings", "digits", "photographs", "words"];
let database;

export async function open(base, said) {
  const at = (name) => new URL(name, base).href;
  const worker = new Worker(at("worker.js"));
  const texts = fetch(at("duckdb.sql")).then((answer) => answer.text());
  const files = TABLES.map((name) => fetch(at(`${name}.arrow`)).then((answer) => answer.arrayBuffer()));
  database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
  said("DuckDB is loading …");
  await database.instantiate(at("duckdb-eh.wasm-gzip"));
  await database.open({ query: { castBigIntToDouble: true, castDecimalToDouble: true } });
  const connection = await database.connect();
  // No extension is fetched, even where a statement names a function of one.
  await connection.query("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false");
  for (const [i, name] of TABLES.entries())
    await connection.insertArrowFromIPCStream(new Uint8Array(await files[i]), { name, create: true });
  said("sqlrp's functions are being created …");
  await connection.query(await texts);
  const version = (await rows(connection, "SELECT version() AS v")).at(0, 0);
  return { connection, version };
}

// A result: its names, its number of rows, and each of its values as a number, a string or an array of numbers.
export async function rows(connection, sql) {
  const found = await connection.query(sql);
  const names = found.schema.fields.map((field) => field.name);
  const columns = names.map((_, i) => found.getChildAt(i));
  return { names, count: found.numRows, at: (row, column) => plain(columns[column].get(row)) };
}

function plain(value) {
  if (typeof value === "bigint") return Number(value);
  if (value !== null && typeof value === "object" && typeof value.toArray === "function")
    return Array.from(value.nullCount ? value : value.toArray(), plain); // toArray has any number where a value is NULL
  return value;
}

export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
export const string = (text) => `'${text.replaceAll("'", "''")}'`;

// Make a table of a file of the reader's, which stays in this page. DuckDB reads CSV; a library reads Parquet, as DuckDB-Wasm
// would fetch an extension for it. A table without a column id has its rows numbered.
export async function load(connection, file, name, base) {
  const read = `file ${file.name}`;
  const loaded = quoted(`${name} as it was read`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  await connection.query(`DROP TABLE IF EXISTS ${loaded}`);
  if (String.fromCharCode(...bytes.subarray(0, 4)) === "PAR1") {
    const parquet = await import(new URL("parquet_wasm.js", base).href);
    await parquet.default();
    await connection.insertArrowFromIPCStream(parquet.readParquet(bytes).intoIPCStream(), { name: `${name} as it was read`, create: true });
  } else {
    await database.registerFileBuffer(read, bytes);
    try {
      await connection.query(`CREATE TABLE ${loaded} AS FROM read_csv(${string(read)})`);
    } finally {
      await database.dropFile(read);
    }
  }
  const columns = await rows(connection, `SELECT column_name, column_type FROM (DESCRIBE ${loaded})`);
  const names = Array.from({ length: columns.count }, (_, i) => columns.at(i, 0));
  // Lists of one length are arrays: their length is part of the type, which the functions ask for.
  for (let i = 0; i < columns.count; i++) {
    const [column, type] = [quoted(columns.at(i, 0)), columns.at(i, 1)];
    if (!/^\w+\[\]$/.test(type)) continue;
    const sizes = await rows(connection, `SELECT min(len(${column})), max(len(${column})) FROM ${loaded}`);
    if (sizes.at(0, 0) && sizes.at(0, 0) === sizes.at(0, 1))
      await connection.query(`ALTER TABLE ${loaded} ALTER ${column} TYPE ${type.slice(0, -1)}${sizes.at(0, 0)}]`);
  }
  const numbered = names.some((one) => one.toLowerCase() === "id") ? "" : "row_number() OVER () AS id, ";
  await connection.query(`CREATE OR REPLACE TABLE ${quoted(name)} AS SELECT ${numbered}* FROM ${loaded}; DROP TABLE ${loaded}`);
}

// What the charts need to know of a table: its array of features, its label, and its number of rows.
export async function described(connection, name) {
  const found = await rows(connection, `SELECT column_name, column_type FROM (DESCRIBE ${quoted(name)})`);
  const columns = Array.from({ length: found.count }, (_, i) => [found.at(i, 0), found.at(i, 1)]);
  const label = await labelled(connection, name, columns.filter(([, type]) => type === "VARCHAR").map(([column]) => column));
  const numbers = columns.filter(([column, type]) => column.toLowerCase() !== "id" && /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/.test(type));
  const array = columns.find(([, type]) => /^(FLOAT|DOUBLE|U?\w*INT(EGER)?)\[\d*\]$/.test(type))?.[0];
  const id = columns.find(([column]) => column.toLowerCase() === "id")?.[0];
  const count = (await rows(connection, `SELECT count(*) FROM ${quoted(name)}`)).at(0, 0);
  return { id, array, label, numbers: numbers.map(([column]) => column), count };
}

// The first of the columns whose values can have a colour each. A column of names or of unique ids says nothing in colours.
async function labelled(connection, name, texts) {
  for (const column of texts)
    if ((await rows(connection, `SELECT count(DISTINCT ${quoted(column)}) FROM ${quoted(name)}`)).at(0, 0) <= LABELS) return column;
}
