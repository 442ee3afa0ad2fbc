/* Who plays a universe that learnt policies play: one that all agents share, or one for each role. */

import { openPolicy } from "./policy.js";

export class Player {
  #policies;

  /* `about` is what a page knows of them: `from`, the row of observations with which theirs begin. */
  constructor(policies, about) {
    this.#policies = policies;
    this.about = about;
  }

  /* Write the actions of the next tick, and the controls where there are any, into the arrays of worlds: each policy those of its agents. */
  act(worlds) {
    for (const policy of this.#policies) policy.act(worlds, { from: this.about.from });
  }

  /* So many ticks in which it acts for all agents. */
  rollout(worlds, ticks) {
    for (let tick = 0; tick < ticks; tick += 1) {
      this.act(worlds);
      worlds.step();
    }
  }

  /* What policies remember of worlds at their tick, for `recall`. */
  memory(worlds) {
    return this.#policies.map((policy) => policy.memory(worlds));
  }

  /* Remember in worlds, as they are, what was remembered at their tick. */
  recall(worlds, memory) {
    this.#policies.forEach((policy, number) => policy.recall(worlds, memory[number]));
  }

  /* Whether every policy chooses here what it chose when it was written. */
  selftest() {
    return this.#policies.every((policy) => policy.selftest());
  }
}

/* A player, from the bytes of a module for each policy, and what a page knows of them. */
export async function openPlayer({ modules, about }) {
  return new Player(await Promise.all(modules.map((bytes) => openPolicy(bytes))), about);
}
