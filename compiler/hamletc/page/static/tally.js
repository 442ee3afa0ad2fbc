/* Counts of a run since it began, or since somebody went back: what was used, and how lives ended. */

const MOST = 8; // names that are said

export class Tally {
  #names;
  #used = new Map();
  #ends = new Map();

  /* Affordances that are copies of one have one name. */
  constructor({ affordances, ends }) {
    this.#names = { affordances, ends };
  }

  /* Count a tick. */
  add(worlds) {
    count(this.#used, worlds.array("used"), this.#names.affordances);
    count(this.#ends, worlds.array("cause"), this.#names.ends);
  }

  /* What was used, and how lives ended, in words, the most frequent first; empty where nothing was. */
  get said() {
    return [this.#used, this.#ends].map(line);
  }
}

function count(counts, numbers, names) {
  for (const number of numbers) if (number >= 0) counts.set(names[number], (counts.get(names[number]) ?? 0) + 1);
}

function line(counts) {
  const seen = [...counts].sort(([, a], [, b]) => b - a);
  return seen.slice(0, MOST).map(([name, times]) => `${name} ×${times}`).join(", ") + (seen.length > MOST ? ", ..." : "");
}
