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
    this.worlds = 0;
    this.agents = 0;
  }

  /* Begin worlds; those of before are gone. Throws where so many cannot be. */
  begin({ worlds, agents = this.about.agents[0], seed = 0n }) {
    const [least, most] = this.about.agents;
    if (!(agents >= least && agents <= most)) throw new RangeError(`worlds have ${least} to ${most} agents, not ${agents}`);
    const bytes = this.#calls.bytes(worlds, agents) >>> 0;
    if (bytes === 0) throw new RangeError(`${worlds} worlds of ${agents} agents do not fit into a memory of 4 GiB`);
    this.#calls.begin(worlds, agents, ...halves(seed));
    this.worlds = worlds;
    this.agents = agents;
    return this;
  }

  /* All worlds begin their first episode anew, at tick 0. */
  reset(seed = 0n) {
    this.#begun().reset(...halves(seed));
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
  const given = await source;
  const bytes = typeof given.arrayBuffer === "function" ? await given.arrayBuffer() : given;
  const module = await WebAssembly.compile(bytes);
  const [section] = WebAssembly.Module.customSections(module, "hamlet");
  if (section === undefined) throw new TypeError("this is no universe that hamletc exported");
  const about = JSON.parse(new TextDecoder().decode(section));
  return new Worlds(await WebAssembly.instantiate(module), about);
}

function halves(seed) {
  const wide = BigInt.asUintN(64, BigInt(seed));
  return [Number(wide & 0xffffffffn) | 0, Number(wide >> 32n) | 0];
}

function missing(name) {
  throw new RangeError(`there is no array ${name}`);
}
