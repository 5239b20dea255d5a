// Runs queries in DuckDB-Wasm. Reads a job as JSON from standard input: the folder of the package, the file to open
// read-only (or null), and the queries. Writes a list with the rows of each query, or the message of its error.
const fs = require('fs');
const path = require('path');
const v8 = require('v8');

// Each query runs once: to check and to improve code that never runs takes longer than the queries. Another version of
// node may not know a flag, and ignores it.
for (const flag of ['--wasm-lazy-compilation', '--wasm-lazy-validation', '--liftoff-only']) v8.setFlagsFromString(flag);

const job = JSON.parse(fs.readFileSync(0, 'utf8'));
const duckdb = require(path.join(job.package, 'duckdb-node-blocking.cjs'));

function plain(value) {
  if (typeof value === 'bigint') return Number(value);
  if (value && typeof value.toArray === 'function') return Array.from(value.toArray(), plain);
  return value;
}

(async () => {
  const bundle = { mainModule: path.join(job.package, 'duckdb-eh.wasm'), mainWorker: '' };
  const db = await duckdb.createDuckDB({ mvp: bundle, eh: bundle }, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await db.instantiate(() => {});
  db.open(job.path ? { path: job.path, accessMode: 1 } : {});
  const con = db.connect();
  const answers = job.queries.map((query) => {
    try {
      return con.query(query).toArray().map((row) => Object.values(row.toJSON()).map(plain));
    } catch (error) {
      return String(error.message);
    }
  });
  fs.writeFileSync(1, JSON.stringify(answers));
})();
