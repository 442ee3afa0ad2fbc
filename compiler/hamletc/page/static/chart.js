/* Gauges over time, as lines on a canvas: each between its own bounds, and the last ticks alone. */

export const KEPT = 300;
export const INKS = ["#2f6fde", "#d64541", "#2e9e5b", "#e08e0b", "#8e44ad", "#12908e", "#b5651d", "#d6409f"];

export class Chart {
  #samples = [];

  clear() {
    this.#samples = [];
  }

  /* Note the shares of all gauges, each 0 to 1. */
  add(shares) {
    this.#samples.push(shares);
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  paint(context, width, height, theme) {
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, height);
    context.strokeStyle = theme.rule;
    context.lineWidth = 1;
    for (const share of [0, 0.5, 1]) {
      const y = 2.5 + Math.round((1 - share) * (height - 5));
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.stroke();
    }
    const lines = this.#samples.at(-1)?.length ?? 0;
    context.lineWidth = 1.5;
    for (let line = 0; line < lines; line += 1) {
      context.strokeStyle = INKS[line % INKS.length];
      context.beginPath();
      this.#samples.forEach((shares, at) => context.lineTo((at / (KEPT - 1)) * width, 2.5 + (1 - shares[line]) * (height - 5)));
      context.stroke();
    }
  }
}
