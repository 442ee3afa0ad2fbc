/* The compiler in a page: Python, and hamletc in it. Asked { number, ask, text, files, more }, it answers { number, said, module }. */

import { loadPyodide } from "./python/pyodide.mjs";
import { got } from "./packed.js";
import { begun } from "./compiler.js";

const load = self.fetch;

/* Python asks for its own machine code and library, which lie packed beside it. */
self.fetch = async (where, how) => {
  const path = new URL(where.url ?? where, self.location).href;
  if (!/\.(wasm|zip)$/.test(path)) return load(where, how);
  return new Response(await got(path, load), { headers: { "Content-Type": path.endsWith(".wasm") ? "application/wasm" : "application/zip" } });
};

const ready = got("python/hamletc.zip", load).then((archive) => begun(loadPyodide, { indexURL: new URL("python/", self.location).href }, archive));
ready.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: error.message }));
self.onmessage = async ({ data: { number, ask, text, files, more } }) => {
  const answer = (await ready)(ask, text, files, more);
  postMessage({ number, ...answer }, answer.module === null ? [] : [answer.module.buffer]);
};
