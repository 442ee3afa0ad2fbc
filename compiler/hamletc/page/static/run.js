/* A world that a page runs: one tick after another, by random actions or by a reader's. */

import { Past } from "./past.js";
import { Tally } from "./tally.js";
import { open } from "./worlds.js";

export const TICKS = 300; // of the run whose digest a link promises

/* What this browser lacks to run universes, in a line; null where nothing is missing. */
export function lacking() {
  if (typeof WebAssembly === "undefined") return "This browser has no WebAssembly.";
  // A function that gives a vector is valid.
  const vector = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
  if (!WebAssembly.validate(Uint8Array.from(vector))) return "This browser has no SIMD of WebAssembly, which universes need: take one of 2023 or later.";
  if (typeof DecompressionStream === "undefined") return "This browser cannot unpack files: take one of 2023 or later.";
  return null;
}

export class Run {
  #bytes;
  #past = new Past();

  constructor(bytes, worlds, about) {
    this.#bytes = bytes;
    this.worlds = worlds;
    this.about = about;
  }

  /* A universe, from the bytes of its module and what a page knows of it. */
  static async of(bytes, about) {
    return new Run(bytes, await open(bytes), about);
  }

  /* Begin a world: `seed` is a BigInt, `params` are numbers by name. */
  begin(setup) {
    begin(this.worlds, this.about, setup);
    this.#past.begin(this.worlds);
    this.tally = new Tally(this.about);
    this.setup = setup;
    return this;
  }

  /* Change a param of the world that runs. */
  change(name, value) {
    this.worlds.array("params")[this.about.params.findIndex((param) => param.name === name)] = value;
    this.worlds.observe();
    this.#past.note(this.worlds, true);
  }

  /* The first and the last tick that can be seen again. */
  get span() {
    return this.#past.span;
  }

  /* Go back to a tick of the span, or forward to one that was before. */
  back(tick) {
    this.#past.back(this.worlds, tick);
    this.tally = new Tally(this.about);
  }

  /* A tick in which all agents act at random. */
  tick() {
    this.worlds.rollout(1);
    this.#past.note(this.worlds);
    this.tally.add(this.worlds);
  }

  /* A tick in which an agent takes this action, with these controls by name, and all others act at random. */
  play(agent, action, controls = {}) {
    const { worlds, about } = this;
    const actions = worlds.array("actions");
    for (let lane = 0; lane < actions.length; lane += 1) actions[lane] = Math.floor(Math.random() * worlds.about.actions.length);
    actions[agent] = action;
    about.controls.forEach(({ name, low, high, whole }, row) => {
      const values = worlds.array("controls");
      for (let lane = 0; lane < actions.length; lane += 1) {
        const drawn = low + Math.random() * (high - low);
        values[row * actions.length + lane] = whole ? Math.round(drawn) : drawn;
      }
      if (name in controls) values[row * actions.length + agent] = controls[name];
    });
    worlds.step();
    this.#past.note(worlds, true);
    this.tally.add(worlds);
  }

  /* Whether an agent may take an action. */
  allows(agent, action) {
    return this.worlds.array("mask")[action * this.worlds.agents + agent] !== 0;
  }

  /* What a gauge shows of an agent. */
  value(gauge, agent) {
    const values = this.worlds.array(gauge.array);
    return gauge.array === "meters" ? values[gauge.row * this.worlds.agents + agent] : values[gauge.row];
  }

  /* A number of the world or of an agent, by the name of its array; undefined where there is none. */
  number(name, lane = 0) {
    return this.worlds.about.arrays.some((array) => array.name === name) ? this.worlds.array(name)[lane] : undefined;
  }

  /* Whether this browser gives the bits that the interpreter gave when the module was written; null where none ran. */
  async proven() {
    return this.worlds.about.test.digest === null ? null : (await open(this.#bytes)).selftest();
  }

  /* The digest of a world with this setup after TICKS ticks. */
  async digest(setup = this.setup) {
    const worlds = await open(this.#bytes);
    begin(worlds, this.about, setup);
    worlds.rollout(TICKS);
    return worlds.digest();
  }
}

function begin(worlds, about, { agents, seed, params }) {
  worlds.begin({ worlds: 1, agents, seed });
  if (about.params.length === 0) return;
  const values = worlds.array("params");
  about.params.forEach((param, row) => {
    if (param.name in params) values[row] = params[param.name];
  });
  worlds.reset(seed);
}
