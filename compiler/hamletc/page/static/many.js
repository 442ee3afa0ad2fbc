/* Many worlds of the universe that a page shows, in workers: the page itself stays awake, and says how fast they are and what becomes of them. */

import { made, part, round } from "./parts.js";
import { TICKS } from "./run.js";
import { openShards } from "./worlds.js";

const SLICE = 100; // milliseconds that workers run until they are asked again
const OFTEN = 500; // milliseconds between two lines
const FEW = 8; // workers at first, at most

export class Many {
  #current;
  #begun = 0; // how often worlds were begun, or ended

  /* `current` gives { bytes, about, setup, policies } of the world that is shown. */
  constructor(current) {
    this.#current = current;
    part("workers").value = Math.min(navigator.hardwareConcurrency || 2, FEW);
    part("crowd-go").onclick = () => (this.#runs ? this.stop() : this.#start());
  }

  get #runs() {
    return part("crowd-go").textContent === "Stop";
  }

  /* End the workers, which may be of another universe than the one that is shown next. */
  stop() {
    this.#begun += 1;
    part("crowd-go").textContent = "Run";
  }

  async #start() {
    part("crowd-go").textContent = "Stop";
    part("crowd-says").textContent = "Workers begin ...";
    part("crowd-gauges").replaceChildren();
    const own = (this.#begun += 1);
    try {
      await this.#run(() => own === this.#begun);
    } catch (error) {
      if (own === this.#begun) part("crowd-says").textContent = error.message;
    }
    if (own === this.#begun) this.stop();
  }

  async #run(goesOn) {
    const { bytes, about, setup, policies } = this.#current();
    const [worlds, workers] = [part("worlds"), part("workers")].map((input) => whole(input));
    const player = { opener: new URL("player.js", location).href, modules: policies, about: about.policy };
    const shards = await openShards(bytes, Math.min(workers, worlds), setup.by === "policy" ? player : null);
    try {
      await begin(shards, about, worlds, setup);
      await shards.rollout(TICKS);
      const digest = await shards.digest();
      let [ticks, each, told, before] = [TICKS, 1, performance.now(), TICKS];
      while (goesOn()) {
        const asked = performance.now();
        await shards.rollout(each);
        ticks += each;
        const now = performance.now();
        each = Math.max(Math.round(each * Math.min(SLICE / (now - asked), 2)), 1);
        if (now - told < OFTEN || !goesOn()) continue;
        const rate = ((ticks - before) * worlds * setup.agents * 1000) / (now - told);
        part("crowd-says").textContent = line({ worlds, shards, setup, ticks, rate, digest });
        await means(shards, about);
        [told, before] = [performance.now(), ticks];
      }
    } finally {
      shards.close();
    }
  }
}

/* The number of a field, within its bounds. */
function whole(input) {
  const [low, high] = [Number(input.min), Number(input.max)];
  input.value = Math.min(Math.max(Math.round(input.valueAsNumber) || low, low), high);
  return input.valueAsNumber;
}

async function begin(shards, about, worlds, { agents, seed, params }) {
  await shards.begin({ worlds, agents, seed });
  const rows = about.params.map(({ name }, row) => [row, params[name]]).filter(([, value]) => value !== undefined);
  for (const [row, value] of rows) await shards.fill("params", row, value);
  if (rows.length > 0) await shards.reset(seed);
}

function line({ worlds, shards, setup, ticks, rate, digest }) {
  const [many, few] = [worlds, shards.threads].map((count) => count.toLocaleString("en"));
  const agents = setup.agents === 1 ? "" : ` of ${setup.agents} agents`;
  const speed = rate >= 1e6 ? `${round(rate / 1e6)} million` : Math.round(rate).toLocaleString("en");
  return `${many} worlds${agents}, ${few} worker${shards.threads === 1 ? "" : "s"}: tick ${ticks.toLocaleString("en")}, ${speed} agent-ticks a second. Digest after ${TICKS} ticks: ${digest}`;
}

/* The mean of each gauge over all agents. */
async function means(shards, about) {
  const arrays = new Map();
  for (const { array } of about.gauges) if (!arrays.has(array)) arrays.set(array, await shards.array(array));
  part("crowd-gauges").replaceChildren(...about.gauges.filter(({ options }) => options.length === 0).map(({ name, array, row }) => {
    const columns = shards.setup.worlds * (array === "meters" ? shards.setup.agents : 1);
    const values = arrays.get(array).subarray(row * columns, (row + 1) * columns);
    return made("li", {}, `${name} ${round(values.reduce((sum, value) => sum + value, 0) / columns)}`);
  }));
}
