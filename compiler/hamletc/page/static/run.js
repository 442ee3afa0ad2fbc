/* A world that a page runs: one tick after another, by random actions, by a policy's or by a reader's. */

import { Past } from "./past.js";
import { openPlayer } from "./player.js";
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
  #player;
  #past;

  constructor(bytes, worlds, about, player, policies) {
    this.#bytes = bytes;
    this.#player = player;
    this.policies = policies;
    this.#past = new Past((by, ticks) => this.#forth(this.worlds, by, ticks), player);
    this.worlds = worlds;
    this.about = about;
  }

  /* A universe, from the bytes of its module and what a page knows of it, and of the modules of its policies where it has some: one, or one for
  each role. */
  static async of(bytes, about, policies = []) {
    const player = policies.length === 0 ? null : await openPlayer({ modules: policies, about: about.policy });
    return new Run(bytes, await open(bytes), about, player, policies);
  }

  /* Begin a world: `seed` is a BigInt, `params` are numbers by name, and `by` is who acts: "policy", or random actions. */
  begin(setup) {
    begin(this.worlds, this.about, setup);
    this.by = setup.by;
    this.#past.begin(this.worlds, this.by);
    this.tally = new Tally(this.about);
    this.setup = setup;
    return this;
  }

  /* From now on somebody else acts. */
  turn(by) {
    this.by = by;
    this.#past.note(this.worlds, by, true);
  }

  /* Change a param of the world that runs. */
  change(name, value) {
    this.worlds.array("params")[this.about.params.findIndex((param) => param.name === name)] = value;
    this.worlds.observe();
    this.#past.note(this.worlds, this.by, true);
  }

  /* The bytes of the module. */
  get bytes() {
    return this.#bytes;
  }

  /* The first and the last tick that can be seen again. */
  get span() {
    return this.#past.span;
  }

  /* Go back to a tick of the span, or forward to one that was before, with whoever acted there. */
  back(tick) {
    this.by = this.#past.back(this.worlds, tick);
    this.tally = new Tally(this.about);
  }

  /* A tick in which nobody plays by hand. */
  tick() {
    this.#forth(this.worlds, this.by, 1);
    this.#past.note(this.worlds, this.by);
    this.tally.add(this.worlds);
  }

  /* A tick in which an agent takes this action, with these controls by name, and all others act as they do. */
  play(agent, action, controls = {}) {
    const { worlds, about } = this;
    if (this.by === "policy") this.#player.act(worlds);
    else this.#draw();
    const actions = worlds.array("actions");
    actions[agent] = action;
    about.controls.forEach(({ name }, row) => {
      if (name in controls) worlds.array("controls")[row * actions.length + agent] = controls[name];
    });
    worlds.step();
    this.#past.note(worlds, this.by, true);
    this.tally.add(worlds);
  }

  /* Random actions and controls, which a reader's key makes others than those of the seed. */
  #draw() {
    const { worlds, about } = this;
    const actions = worlds.array("actions");
    for (let lane = 0; lane < actions.length; lane += 1) actions[lane] = Math.floor(Math.random() * worlds.about.actions.length);
    about.controls.forEach(({ low, high, whole }, row) => {
      const values = worlds.array("controls");
      for (let lane = 0; lane < actions.length; lane += 1) {
        const drawn = low + Math.random() * (high - low);
        values[row * actions.length + lane] = whole ? Math.round(drawn) : drawn;
      }
    });
  }

  /* So many ticks of worlds. */
  #forth(worlds, by, ticks) {
    if (by === "policy") this.#player.rollout(worlds, ticks);
    else worlds.rollout(ticks);
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

  /* Whether this browser gives the bits that the interpreter gave when the module was written, and the policy those that numpy gave; null where
  nothing ran. */
  async proven() {
    if (this.#player?.selftest() === false) return false;
    return this.worlds.about.test.digest === null ? null : (await open(this.#bytes)).selftest();
  }

  /* The digest of a world with this setup after TICKS ticks. */
  async digest(setup = this.setup) {
    const worlds = await open(this.#bytes);
    begin(worlds, this.about, setup);
    this.#forth(worlds, setup.by, TICKS);
    return worlds.digest();
  }
}

function begin(worlds, about, { agents, seed, params }) {
  worlds.begin({ worlds: 1, agents, seed });
  if (about.params.length === 0) return;
  about.params.forEach(({ name }, row) => {
    if (name in params) worlds.fill("params", row, params[name]);
  });
  worlds.reset(seed);
}
