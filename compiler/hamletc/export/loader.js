/* Opens a universe that `hamletc export U --to wasm` wrote, in Node and in pages. No other file is needed.

    import { open } from "./town.js";
    const town = await open(fetch("town.wasm"));        // or the bytes of the file
    town.begin({ worlds: 4, agents: 1, seed: 7n });
    town.array("actions").fill(0);
    town.step();
    town.array("meters");                               // [rows][lanes], a view of the memory

Every backend of hamletc has the same bits: `town.selftest()` shows it here. */

const VIEWS = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, bool: Uint8Array };

export class Worlds {
  #calls;
  #places;

  constructor(instance, about) {
    this.#calls = instance.exports;
    this.about = about;
    this.#places = new Map(about.arrays.map((array, place) => [array.name, { ...array, place }]));
    Object.assign(this, { worlds: 0, agents: 0, seed: 0n, first: 0, era: 0 });
  }

  /* Begin worlds; those of before are gone. Throws where so many cannot be. `first` is the number of the first one, of a shard of more worlds. */
  begin({ worlds, agents = this.about.agents[0], seed = 0n, first = 0 }) {
    const [least, most] = this.about.agents;
    if (!(agents >= least && agents <= most)) throw new RangeError(`worlds have ${least} to ${most} agents, not ${agents}`);
    const bytes = this.#calls.bytes(worlds, agents) >>> 0;
    if (bytes === 0) throw new RangeError(`${worlds} worlds of ${agents} agents do not fit into a memory of 4 GiB`);
    this.#calls.shard(first);
    this.#calls.begin(worlds, agents, ...halves(seed));
    Object.assign(this, { worlds, agents, seed: BigInt(seed), first, era: this.era + 1 });
    return this;
  }

  /* All worlds begin their first episode anew, at tick 0. As `begin` and `restore` do, this begins an era, in which policies remember nothing of before. */
  reset(seed = 0n) {
    this.#begun().reset(...halves(seed));
    this.seed = BigInt(seed);
    this.era += 1;
  }

  /* One tick with `array("actions")`. */
  step() {
    if (this.#begun().step() === 0) throw new RangeError(`actions are 0 to ${this.about.actions.length - 1}`);
  }

  /* So many ticks in which every agent draws from all actions. */
  rollout(ticks) {
    this.#begun().rollout(ticks);
  }

  /* Observations and masks of the state as it is: after you wrote into it. */
  observe() {
    this.#begun().observe();
  }

  /* Ticks since the seed was set. */
  get ticks() {
    return this.#begun().ticks();
  }

  /* A view of an array: element (row, column) is at row * columns + column, or, with a pitch, at column * pitch + row.
  Take it again after `begin`: memory may have grown. */
  array(name) {
    const { place, type, rows, columns, pitch } = this.#places.get(name) ?? missing(name);
    const lanes = columns === "lanes" ? this.worlds * this.agents : this.worlds;
    const each = pitch || (rows === null ? 1 : rows.length);
    return new VIEWS[type](this.#calls.memory.buffer, this.#begun().address(place) >>> 0, each * lanes);
  }

  /* One number in a row of an array, of all worlds or lanes. */
  fill(name, row, value) {
    const { pitch, rows } = this.#places.get(name) ?? missing(name);
    const all = this.array(name);
    const columns = all.length / (pitch || (rows?.length ?? 1));
    for (let column = 0; column < columns; column += 1) all[pitch ? column * pitch + row : row * columns + column] = value;
  }

  /* FNV-1a, of 64 bits, over the bytes of state and outcomes: equal digests, equal bits. */
  digest() {
    return BigInt.asUintN(64, this.#begun().digest()).toString(16).padStart(16, "0");
  }

  /* All of it as it is now, for `restore`. */
  copy() {
    return { worlds: this.worlds, agents: this.agents, bytes: new Uint8Array(this.#begun().memory.buffer).slice() };
  }

  /* Worlds as they were when they were copied. Between the two is no `begin`. */
  restore({ worlds, agents, bytes }) {
    if (worlds !== this.worlds || agents !== this.agents) throw new RangeError("this is a copy of other worlds");
    new Uint8Array(this.#begun().memory.buffer).set(bytes);
    this.era += 1;
  }

  /* Whether the run that every backend has runs here as there; other worlds are gone then. */
  selftest() {
    const { worlds, agents, seed, ticks, digest } = this.about.test;
    this.begin({ worlds, agents, seed: BigInt(seed) });
    this.rollout(ticks);
    return this.digest() === digest;
  }

  #begun() {
    if (this.worlds === 0) throw new Error("there are no worlds yet: call begin");
    return this.#calls;
  }
}

/* A universe, from the bytes of its file or from a response of `fetch`. */
export async function open(source) {
  return instantiated(await compiled(source));
}

/* Worlds in several threads, of which each runs a shard of them. Nothing shows how many there are but the time that they take. */
export class Shards {
  #module;
  #threads;
  #parts = []; // the worlds of each thread

  constructor(module, threads) {
    this.#module = module;
    this.#threads = threads;
    this.about = aboutOf(module);
  }

  get threads() {
    return this.#threads.length;
  }

  /* As `begin` of worlds in one thread. */
  async begin({ worlds, agents = this.about.agents[0], seed = 0n }) {
    const used = Math.min(this.threads, worlds);
    const ends = Array.from({ length: used + 1 }, (_, thread) => Math.floor((worlds * thread) / used));
    this.#parts = ends.slice(1).map((end, thread) => ({ first: ends[thread], worlds: end - ends[thread] }));
    this.setup = { worlds, agents, seed: BigInt(seed) };
    await this.#each((thread, part) => thread.ask("begin", { ...this.setup, ...part }));
    return this;
  }

  /* As `reset` of worlds in one thread. */
  async reset(seed = 0n) {
    await this.#each((thread) => thread.ask("reset", seed));
    this.setup.seed = BigInt(seed);
  }

  /* As `fill` of worlds in one thread. */
  async fill(name, row, value) {
    await this.#each((thread) => thread.ask("fill", [name, row, value]));
  }

  /* So many ticks of all worlds, in which every agent draws from all actions. */
  async rollout(ticks) {
    await this.#each((thread) => thread.ask("rollout", ticks));
  }

  /* All worlds as they are, in one thread. */
  async gathered() {
    const whole = (await instantiated(this.#module)).begin(this.setup);
    for (const { name } of this.about.arrays) await this.#gather(name, whole);
    return whole;
  }

  /* As `array` of worlds in one thread: a copy. */
  async array(name) {
    const { type, columns, rows, pitch } = this.about.arrays.find((array) => array.name === name) ?? missing(name);
    const each = pitch || (rows === null ? 1 : rows.length);
    const { worlds, agents } = this.setup;
    const all = new VIEWS[type](each * worlds * (columns === "lanes" ? agents : 1));
    const parts = await this.#each((thread) => thread.ask("array", name));
    let before = 0;
    for (const part of parts) {
      const own = part.length / each;
      if (pitch) all.set(part, before * each);
      else for (let row = 0; row < each; row += 1) all.set(part.subarray(row * own, (row + 1) * own), (row * all.length) / each + before);
      before += own;
    }
    return all;
  }

  /* As `digest` of worlds in one thread. */
  async digest() {
    return (await this.gathered()).digest();
  }

  /* End the threads. */
  close() {
    for (const thread of this.#threads) thread.end();
  }

  async #gather(name, whole) {
    whole.array(name).set(await this.array(name));
  }

  #each(ask) {
    if (this.#parts.length === 0) throw new Error("there are no worlds yet: call begin");
    return Promise.all(this.#parts.map((part, number) => ask(this.#threads[number], part)));
  }
}

/* A universe whose worlds run in several threads; without a number there is one for each processor. With a `player` it acts in place of random actions: what
the function `openPlayer` of the module `player.opener` gives for it in each thread has `rollout(worlds, ticks)`. */
export async function openShards(source, threads = globalThis.navigator?.hardwareConcurrency ?? 2, player = null) {
  const module = await compiled(source);
  const made = await Promise.all(Array.from({ length: threads }, () => Thread.of(module, player)));
  return new Shards(module, made);
}

const SHARD = "hamletc shard";

/* A thread with a shard of worlds: this file once more, as a worker of a page or of Node. */
class Thread {
  #worker;
  #waiting = []; // answers come in the order of questions

  static async of(module, player) {
    const inPage = typeof Worker !== "undefined";
    const worker = inPage
      ? new Worker(import.meta.url, { type: "module", name: SHARD })
      : new (await import("node:worker_threads")).Worker(new URL(import.meta.url), { workerData: SHARD, execArgv: [] });
    const thread = new Thread();
    thread.#worker = worker;
    const heard = (data) => {
      const { tell, refuse } = thread.#waiting.shift();
      if (data.failed === undefined) tell(data.result);
      else refuse(new Error(data.failed));
    };
    const failed = (error) => {
      for (const { refuse } of thread.#waiting.splice(0)) refuse(new Error(error.message || "a thread did not begin"));
    };
    if (inPage) [worker.onmessage, worker.onerror] = [(event) => heard(event.data), failed];
    else worker.on("message", heard).on("error", failed);
    await thread.ask("open", { module, player });
    return thread;
  }

  ask(call, given) {
    return new Promise((tell, refuse) => {
      this.#waiting.push({ tell, refuse });
      this.#worker.postMessage({ call, given });
    });
  }

  end() {
    this.#worker.terminate();
  }
}

/* Answer what a page or a program asks of this thread. */
function serve(listen, tell) {
  let worlds;
  let plays = null;
  const calls = {
    open: async ({ module, player }) => {
      worlds = await instantiated(module);
      if (player !== null) plays = await (await import(player.opener)).openPlayer(player);
    },
    begin: (setup) => { worlds.begin(setup); },
    reset: (seed) => { worlds.reset(seed); },
    fill: ([name, row, value]) => { worlds.fill(name, row, value); },
    rollout: (ticks) => { if (plays === null) worlds.rollout(ticks); else plays.rollout(worlds, ticks); },
    array: (name) => worlds.array(name).slice(),
  };
  listen(async ({ call, given }) => {
    try {
      tell({ result: await calls[call](given) });
    } catch (error) {
      tell({ failed: error.message });
    }
  });
}

if (typeof WorkerGlobalScope !== "undefined") {
  if (self.name === SHARD) serve((heard) => { self.onmessage = ({ data }) => heard(data); }, (answer) => self.postMessage(answer));
} else if (globalThis.process?.versions?.node) {
  import("node:worker_threads").then(({ parentPort, workerData }) => {
    if (workerData === SHARD) serve((heard) => parentPort.on("message", heard), (answer) => parentPort.postMessage(answer));
  });
}

async function compiled(source) {
  const given = await source;
  return WebAssembly.compile(typeof given.arrayBuffer === "function" ? await given.arrayBuffer() : given);
}

async function instantiated(module) {
  return new Worlds(await WebAssembly.instantiate(module), aboutOf(module));
}

function aboutOf(module) {
  const [section] = WebAssembly.Module.customSections(module, "hamlet");
  if (section === undefined) throw new TypeError("this is no universe that hamletc exported");
  return JSON.parse(new TextDecoder().decode(section));
}

function halves(seed) {
  const wide = BigInt.asUintN(64, BigInt(seed));
  return [Number(wide & 0xffffffffn) | 0, Number(wide >> 32n) | 0];
}

function missing(name) {
  throw new RangeError(`there is no array ${name}`);
}
