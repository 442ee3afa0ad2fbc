/* The past of a run: memory as it was every so many ticks and after whatever a reader did, and who acted from then on, from which every tick
between comes again. */

const ROOM = 64 * 2 ** 20;
const EVERY = 16; // ticks, at first

export class Past {
  #moments = []; // of { tick, firm, by, copy, memory }, in order
  #every = EVERY;
  #latest = 0;
  #forth;
  #player;

  /* `forth` is called with who acts, and for how many ticks; `player` may remember something, or is null. */
  constructor(forth, player) {
    this.#forth = forth;
    this.#player = player;
  }

  /* The first and the last tick that can be seen again. */
  get span() {
    return [this.#moments[0]?.tick ?? 0, this.#latest];
  }

  /* A run begins. */
  begin(worlds, by) {
    this.#moments = [];
    this.#every = EVERY;
    this.note(worlds, by, true);
  }

  /* A tick has passed in which `by` acted, or, where `firm`, something else: what comes is acted by `by`. What was later is no more. */
  note(worlds, by, firm = false) {
    const tick = worlds.ticks;
    this.#latest = tick;
    while (this.#moments.length && this.#moments.at(-1).tick > tick) this.#moments.pop();
    const last = this.#moments.at(-1);
    if (!firm && last !== undefined && tick < last.tick + this.#every) return;
    if (last?.tick === tick) this.#moments.pop();
    this.#moments.push({ tick, firm: firm || (last?.tick === tick && last.firm), by, copy: worlds.copy(), memory: this.#player?.memory(worlds) ?? null });
    this.#thin();
  }

  #thin() {
    const most = Math.max(Math.floor(ROOM / this.#moments[0].copy.bytes.length), 4);
    if (this.#moments.length <= most) return;
    this.#every *= 2;
    this.#moments = this.#moments.filter(({ tick, firm }) => firm || tick % this.#every === 0);
    if (this.#moments.length > most) this.#moments.splice(0, Math.ceil(most / 2));
  }

  /* Make worlds as they were at a tick of the span; who acts from there on. */
  back(worlds, tick) {
    const [first, latest] = this.span;
    const chosen = Math.min(Math.max(tick, first), latest);
    const { tick: from, by, copy, memory } = this.#moments.findLast((moment) => moment.tick <= chosen);
    worlds.restore(copy);
    this.#player?.recall(worlds, memory);
    this.#forth(by, chosen - from);
    return by;
  }
}
