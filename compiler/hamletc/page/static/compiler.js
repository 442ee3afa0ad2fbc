/* The compiler of a page: in a worker, so that the page never waits. */

const PATIENCE = 30000; // milliseconds of one answer

/* Python with hamletc, as a function of what is asked, a text, files that it reads, and what else belongs to the question. Runs in a worker, and
in Node. */
export async function begun(loadPyodide, how, archive) {
  const python = await loadPyodide(how);
  python.unpackArchive(archive, "zip", { extractDir: "/compiler" });
  python.runPython("import sys; sys.path.insert(0, '/compiler')");
  const service = python.pyimport("hamletc.page.service");
  service.warm_up();
  return (ask, text, files = {}, more = {}) => {
    const answer = service.answered(JSON.stringify({ ...more, ask, text, files }));
    try {
      const module = answer.module?.toJs() ?? null;
      return { said: answer.said, module };
    } finally {
      answer.destroy();
    }
  };
}

/* Answers in their order, but for what completes a word, which goes first; of each kind of question only the last one is asked. */
export class Compiler {
  #worker = null;
  #numbers = 0;
  #asked = null; // { number, ask, text, files, more, tell, refuse }
  #next = new Map(); // the same, by what is asked
  #clock = 0;

  /* `told` is called with whether it is ready, and with what failed. */
  constructor(told) {
    this.told = told;
    this.ready = false;
  }

  /* Whether nothing is asked of it. */
  get idle() {
    return this.#asked === null && this.#next.size === 0;
  }

  begin() {
    if (this.#worker !== null) return;
    this.#worker = new Worker("worker.js", { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = (event) => this.#failed(event.message || "the compiler did not load");
  }

  /* What is found in a text, as { diagnostics, about, text, module }; null where a later question took its place. */
  ask(ask, text, files, more = {}) {
    this.begin();
    return new Promise((tell, refuse) => {
      this.#next.get(ask)?.tell(null);
      this.#next.set(ask, { number: (this.#numbers += 1), ask, text, files, more, tell, refuse });
      this.#send();
    });
  }

  #send() {
    if (!this.ready || this.#asked !== null || this.#next.size === 0) return;
    this.#asked = this.#next.get("complete") ?? this.#next.values().next().value;
    this.#next.delete(this.#asked.ask);
    const { number, ask, text, files, more } = this.#asked;
    this.#worker.postMessage({ number, ask, text, files, more });
    this.#clock = setTimeout(() => this.#stop(), PATIENCE);
  }

  #heard(data) {
    if (data.failed !== undefined) return this.#failed(data.failed);
    if (data.ready) {
      this.ready = true;
      this.told(true);
      return this.#send();
    }
    clearTimeout(this.#clock);
    const asked = this.#asked;
    this.#asked = null;
    asked.tell({ ...JSON.parse(data.said), module: data.module });
    return this.#send();
  }

  #failed(message) {
    for (const each of [this.#asked, ...this.#next.values()]) each?.refuse(new Error(message));
    [this.#asked, this.#next] = [null, new Map()];
    this.#end();
    this.told(false, message);
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.ready = false;
  }

  /* Give up, and begin anew. */
  #stop() {
    this.#end();
    const asked = this.#asked;
    this.#asked = null;
    asked.refuse(new Error(`the compiler needs more than ${PATIENCE / 1000} seconds for this universe, and was stopped`));
    this.begin();
  }
}
