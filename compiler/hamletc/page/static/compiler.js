/* The compiler of a page: in a worker, so that the page never waits. */

const PATIENCE = 30000; // milliseconds of one answer

/* Python with hamletc, as a function of what is asked, a text, and files that it reads. Runs in a worker, and in Node. */
export async function begun(loadPyodide, how, archive) {
  const python = await loadPyodide(how);
  python.unpackArchive(archive, "zip", { extractDir: "/compiler" });
  python.runPython("import sys; sys.path.insert(0, '/compiler')");
  const service = python.pyimport("hamletc.page.service");
  service.warm_up();
  return (ask, text, files = {}) => {
    const answer = service.answered(JSON.stringify({ ask, text, files }));
    try {
      const module = answer.module?.toJs() ?? null;
      return { said: answer.said, module };
    } finally {
      answer.destroy();
    }
  };
}

/* Answers in their order; one that is no longer wanted is not asked for. */
export class Compiler {
  #worker = null;
  #numbers = 0;
  #asked = null; // { number, ask, text, files, tell, refuse }
  #next = null;
  #clock = 0;

  /* `told` is called with whether it is ready, and with what failed. */
  constructor(told) {
    this.told = told;
    this.ready = false;
  }

  /* Whether nothing is asked of it. */
  get idle() {
    return this.#asked === null && this.#next === null;
  }

  begin() {
    if (this.#worker !== null) return;
    this.#worker = new Worker("worker.js", { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = (event) => this.#failed(event.message || "the compiler did not load");
  }

  /* What is found in a text, as { diagnostics, about, text, module }; null where a later question took its place. */
  ask(ask, text, files) {
    this.begin();
    return new Promise((tell, refuse) => {
      this.#next?.tell(null);
      this.#next = { number: (this.#numbers += 1), ask, text, files, tell, refuse };
      this.#send();
    });
  }

  #send() {
    if (!this.ready || this.#asked !== null || this.#next === null) return;
    [this.#asked, this.#next] = [this.#next, null];
    const { number, ask, text, files } = this.#asked;
    this.#worker.postMessage({ number, ask, text, files });
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
    for (const each of [this.#asked, this.#next]) each?.refuse(new Error(message));
    [this.#asked, this.#next] = [null, null];
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
