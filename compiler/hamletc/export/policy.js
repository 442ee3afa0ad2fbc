/* Opens a policy that `hamletc export RUN --to wasm` wrote, in Node and in pages. No other file is needed.

    import { open } from "./town.js";
    import { openPolicy } from "./town_policy.js";
    const town = await open(fetch("town.wasm"));
    const policy = await openPolicy(fetch("town_policy.wasm"));
    town.begin({ worlds: 4, seed: 7n });
    policy.rollout(town, 1000);

Where roles have policies of their own each has a file: all of them act, `wolf.act(worlds); sheep.act(worlds);`, and then `worlds.step()`.
Every backend of hamletc chooses the same actions: `policy.selftest()` shows it here. */

const ARRAYS = {
  observation: Float32Array,
  mask: Uint8Array,
  actions: Int32Array,
  controls: Float32Array,
  memory: Float32Array,
  acted: Int32Array,
  age: Int32Array,
  numbers: Uint32Array,
};
const KEPT = ["memory", "acted"]; // what lanes remember

export class Policy {
  #calls;
  #lanes = 0;
  #places = { key: "", lanes: [] }; // where it acts: the lanes of worlds
  #memories = new WeakMap(); // of worlds: { era, tick, before, after }, what lanes remember at a tick, and at the one behind it

  constructor(instance, about) {
    this.#calls = instance.exports;
    this.about = about;
  }

  /* Write the actions of the next tick of worlds, and their controls where there are any, into their arrays: those of all agents, or of those that have
  the role that it has learnt. They are drawn with the random words of the worlds' seed and tick; with `greedy` the likeliest are taken. `from` is the row
  of the worlds' observations with which the policy's begin. A policy with a memory remembers where it acted in these worlds in the tick before. */
  act(worlds, { greedy = false, from = 0 } = {}) {
    const { observations, controls, remembers, crew } = this.about;
    const lanes = worlds.worlds * worlds.agents;
    const seen = worlds.array("observation");
    const mask = worlds.array("mask");
    if (seen.length < (from + observations) * lanes || mask.length !== crew.actions * lanes) {
      throw new RangeError(`this policy is for worlds of ${this.about.universe}, with ${observations} observations and ${crew.actions} actions`);
    }
    const places = this.#begin(worlds);
    if (places.length === 0) return;
    this.array("observation").set(picked(seen, places, lanes, range(from, observations)));
    this.array("mask").set(picked(mask, places, lanes, crew.numbers));
    const tick = worlds.ticks;
    const before = this.memory(worlds);
    if (remembers > 0) {
      this.array("age").set(picked(worlds.array("age"), places, lanes, [0]));
      for (const name of KEPT) before === null ? this.array(name).fill(0) : this.array(name).set(before[name]);
    }
    this.#calls.act(...halves(worlds.seed), tick, greedy ? 1 : 0);
    if (remembers > 0) {
      const after = Object.fromEntries(KEPT.map((name) => [name, this.array(name).slice()]));
      this.#memories.set(worlds, { era: worlds.era, tick, before, after });
    }
    if (crew.role === null) {
      worlds.array("actions").set(this.array("actions"));
      if (controls > 0) worlds.array("controls").set(this.array("controls"));
      return;
    }
    const actions = worlds.array("actions");
    this.array("actions").forEach((action, number) => (actions[places[number]] = crew.numbers[action]));
    for (let row = 0; row < controls; row += 1) {
      const chosen = this.array("controls").subarray(row * places.length, (row + 1) * places.length);
      const given = worlds.array("controls").subarray(row * lanes, (row + 1) * lanes);
      chosen.forEach((value, number) => (given[places[number]] = value));
    }
  }

  /* So many ticks in which it acts; agents that have not its role do as they did before. */
  rollout(worlds, ticks, options = {}) {
    for (let tick = 0; tick < ticks; tick += 1) {
      this.act(worlds, options);
      worlds.step();
    }
  }

  /* The memory of worlds at their tick, for `recall`; null where nothing is remembered. */
  memory(worlds) {
    const last = this.#memories.get(worlds);
    if (last === undefined || last.era !== worlds.era) return null;
    if (worlds.ticks === last.tick) return last.before;
    return worlds.ticks === last.tick + 1 ? last.after : null;
  }

  /* Remember in worlds, as they are, what was remembered at their tick: after `restore`. */
  recall(worlds, memory) {
    this.#memories.set(worlds, { era: worlds.era, tick: worlds.ticks, before: memory, after: null });
  }

  /* A view of an array of the last lanes: row r of lane i is at r * lanes + i. */
  array(name) {
    const at = this.#calls.address(Object.keys(ARRAYS).indexOf(name)) >>> 0;
    return new ARRAYS[name](this.#calls.memory.buffer, at, this.about.rows[name] * this.#lanes);
  }

  /* Whether it chooses here what it chose when it was written, for observations that any program can make. */
  selftest() {
    const { test, observations, crew } = this.about;
    const chosen = [];
    this.#reserve(test.lanes.length);
    this.#places.key = "";
    this.array("numbers").set(test.lanes);
    this.array("mask").fill(1);
    for (const name of KEPT) this.array(name).fill(0);
    for (let turn = 0; turn < test.ticks; turn += 1) {
      const seen = this.array("observation");
      for (let row = 0; row < observations; row += 1) {
        test.lanes.forEach((lane, place) => (seen[row * test.lanes.length + place] = ((row * 7 + lane * 13 + turn * 5) % 65) / 64));
      }
      // Some begin an episode in each tick.
      const ages = this.array("age");
      if (ages.length > 0) test.lanes.forEach((lane, place) => (ages[place] = lane % 3 === turn ? 0 : 1));
      this.#calls.act(...halves(test.seed), test.tick + turn, 0);
      const actions = this.array("actions").map((action) => crew.numbers[action]);
      chosen.push(...new Uint8Array(actions.buffer, actions.byteOffset, actions.byteLength));
    }
    return digest(chosen) === test.digest;
  }

  /* The lanes of worlds for which it acts. */
  #begin(worlds) {
    const { first, agents } = this.about.crew;
    const key = `${worlds.worlds} ${worlds.agents} ${worlds.first}`;
    if (this.#places.key !== key) {
      const end = agents === null ? worlds.agents : first + agents;
      const lanes = range(0, worlds.worlds * worlds.agents).filter((lane) => first <= lane % worlds.agents && lane % worlds.agents < end);
      if (lanes.length > 0) this.#reserve(lanes.length);
      this.#places = { key, lanes };
      this.array("numbers").set(lanes.map((lane) => worlds.first * worlds.agents + lane));
    }
    return this.#places.lanes;
  }

  #reserve(lanes) {
    if (this.#lanes === lanes) return;
    if (this.#calls.begin(lanes) === 0) throw new RangeError(`${lanes} lanes do not fit into the memory of a policy`);
    this.#lanes = lanes;
  }
}

/* A policy, from the bytes of its file or from a response of `fetch`. */
export async function openPolicy(source) {
  const given = await source;
  const bytes = typeof given.arrayBuffer === "function" ? await given.arrayBuffer() : given;
  const module = await WebAssembly.compile(bytes);
  const [section] = WebAssembly.Module.customSections(module, "hamlet policy");
  if (section === undefined) throw new TypeError("this is no policy that hamletc exported");
  return new Policy(await WebAssembly.instantiate(module), JSON.parse(new TextDecoder().decode(section)));
}

/* So many numbers from one on. */
function range(first, count) {
  return Array.from({ length: count }, (_, number) => first + number);
}

/* Rows of an array of worlds, of so many lanes, at these places. */
function picked(values, places, lanes, rows) {
  if (places.length === lanes && rows.at(-1) - rows[0] === rows.length - 1) return values.subarray(rows[0] * lanes, (rows.at(-1) + 1) * lanes);
  const result = new values.constructor(rows.length * places.length);
  rows.forEach((row, number) => places.forEach((place, lane) => (result[number * places.length + lane] = values[row * lanes + place])));
  return result;
}

/* FNV-1a, of 64 bits. */
function digest(bytes) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

function halves(seed) {
  const wide = BigInt.asUintN(64, BigInt(seed));
  return [Number(wide & 0xffffffffn) | 0, Number(wide >> 32n) | 0];
}
