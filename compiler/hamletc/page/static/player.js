/* Who plays a universe that learnt policies play: one that all agents share, or one for each role. */

import { openPolicy } from "./policy.js";

export class Player {
  #policies;

  /* `about` is what a page knows of them: `from`, the row of observations with which theirs begin, and `roles`, null where all agents share one. */
  constructor(policies, about) {
    this.#policies = policies;
    this.about = about;
  }

  /* Write the actions of the next tick, and the controls where there are any, into the arrays of worlds. */
  act(worlds) {
    const { from, roles } = this.about;
    if (roles === null) return this.#policies[0].act(worlds, { from });
    // Each policy acts for all agents, and what those of its role do is kept.
    const names = ["actions", "controls"].filter((name) => worlds.about.arrays.some((array) => array.name === name) || name === "actions");
    const chosen = new Map(names.map((name) => [name, worlds.array(name).slice()]));
    roles.forEach(({ first, agents }, number) => {
      this.#policies[number].act(worlds, { from });
      const end = agents === null ? worlds.agents : first + agents;
      for (const [name, values] of chosen) {
        const acted = worlds.array(name);
        for (let place = 0; place < values.length; place += 1) {
          const agent = place % worlds.agents;
          if (first <= agent && agent < end) values[place] = acted[place];
        }
      }
    });
    for (const [name, values] of chosen) worlds.array(name).set(values);
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
