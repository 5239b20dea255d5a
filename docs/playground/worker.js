// DuckDB's worker. Its program lies compressed in this folder: 8 MB in place of 34, whatever the web server does.
const plain = self.fetch;
self.fetch = async (asked, ...rest) => {
  const answer = await plain(asked, ...rest);
  if (!(asked.url ?? String(asked)).endsWith(".wasm-gzip")) return answer;
  const body = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { status: answer.status, headers: { "Content-Type": "application/wasm" } });
};
importScripts("duckdb-browser-eh.worker.js");
