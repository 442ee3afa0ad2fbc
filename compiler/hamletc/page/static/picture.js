/* Paints a world on a canvas. What parts look like is in the description, which hamletc's own painter wrote: here they are put where the
arrays of a world say. */

import { linked } from "./linked.js";

const FIRST = 0;

export class Picture {
  #about;
  #fills;
  #letters;

  constructor(about) {
    this.#about = about;
    this.width = about.width;
    this.height = about.height;
    this.#fills = about.cells === null ? [] : each(about.cells.fills);
    this.#letters = about.cells === null || about.cells.letters === null ? [] : each(about.cells.letters);
  }

  /* Paint the first of some worlds on a sheet. `theme` has the colours paper, ink, faint and rule, and whether it is dark. */
  paint(sheet, worlds, theme) {
    const about = this.#about;
    const observed = worlds.array("observation");
    sheet.box(0, 0, this.width, this.height, "paper");
    if (about.cells !== null) this.#cells(sheet, worlds, observed, theme);
    sheet.all(about.floor);
    if (about.cells !== null) this.#things(sheet, worlds);
    const lanes = worlds.worlds * worlds.agents;
    const at = (row, lane) => observed[row * lanes + lane];
    const alive = worlds.array("alive");
    for (const mark of about.marks) if (mark.line) this.#lines(sheet, mark.line, mark.links ? linked(mark.links, worlds, mark.most) : this.#said(mark, 4, at, alive));
    for (const stand of about.stands) {
      const place = placeOf(stand.at, worlds);
      if (place === null || (stand.there !== null && at(stand.there, FIRST) === 0)) continue;
      this.#put(sheet, stand.opens === null || at(stand.opens, FIRST) !== 0 ? stand.open : stand.closed, place);
    }
    for (const mark of about.marks) if (mark.paint) this.#marks(sheet, mark, at, alive);
    this.#players(sheet, worlds, alive);
  }

  /* The pixel in the middle of a place. */
  middle(x, y) {
    const { place, whole } = this.#about;
    if (whole) [x, y] = [Math.floor(x), Math.floor(y)];
    if (place.nodes) return place.nodes[Math.min(Math.max(x, 0), place.nodes.length - 1)];
    const [right, down] = [x - place.origin[0], y - place.origin[1]];
    return [0, 1].map((axis) => place.at[axis] + right * place.x[axis] + down * place.y[axis]);
  }

  #put(sheet, strokes, [x, y]) {
    const { low } = this.#about;
    const [from, to] = [this.middle(low[0], low[1]), this.middle(x, y)];
    sheet.all(strokes, to[0] - from[0], to[1] - from[1]);
  }

  #cells(sheet, worlds, observed, theme) {
    const { cells, layers, walls } = this.#about;
    const values = layers.length ? worlds.array("cell_meters") : [];
    const lanes = worlds.worlds * worlds.agents;
    const inks = layers.filter((layer) => layer.paint === null);
    for (let cell = 0; cell < cells.columns * cells.rows; cell += 1) {
      let [fill, letter] = [this.#fills[cell], this.#letters[cell] ?? ""];
      const walled = walls !== null && observed[(walls + cell) * lanes] !== 0;
      if (walled) [fill, letter] = [cells.wall, ""];
      // Of a wall what is drawn of its cell covers it, and does not tint it.
      for (const layer of inks) {
        const share = this.#share(layer, cell, values);
        if (!walled || layer.tint === null) fill = inked(fill, layer, share, theme);
        if (layer.letter && share > layer.faintest) letter = layer.letter;
      }
      const place = [cell % cells.columns, Math.floor(cell / cells.columns)];
      if (fill !== "paper" || cells.paint[0][0] !== "box") this.#put(sheet, cells.paint.map((stroke) => painted(stroke, fill)), place);
      if (letter && cells.letters !== null) this.#put(sheet, cells.write.map((stroke) => written(stroke, letter, inkUpon(fill, cells.inks, theme))), place);
    }
  }

  #things(sheet, worlds) {
    const { cells, layers } = this.#about;
    for (const layer of layers.filter((each) => each.paint !== null)) {
      const values = worlds.array("cell_meters");
      for (let cell = 0; cell < cells.columns * cells.rows; cell += 1) {
        if (this.#share(layer, cell, values) <= layer.faintest) continue;
        this.#put(sheet, layer.paint, [cell % cells.columns, Math.floor(cell / cells.columns)]);
      }
    }
  }

  /* How full a cell is, 0 to 1. */
  #share(layer, cell, values) {
    const { columns, rows, of } = this.#about.cells;
    let most = -Infinity;
    for (let behind = cell; behind < of; behind += columns * rows) most = Math.max(most, values[layer.meter * of + behind]);
    if (layer.option !== null) return most === layer.option ? 1 : 0;
    if (layer.paint !== null) return most > 0 ? 1 : 0;
    return layer.high > layer.low ? Math.min(Math.max((most - layer.low) / (layer.high - layer.low), 0), 1) : 0;
  }

  /* What a mark says for each living agent for which its condition holds, each but once; where nobody lives, of all. */
  *#said(mark, count, at, alive) {
    const any = alive.some((each) => each !== 0);
    const seen = new Set();
    for (let lane = 0; lane < alive.length; lane += 1) {
      if ((mark.asked && at(mark.row + count, lane) === 0) || (any && alive[lane] === 0)) continue;
      const numbers = Array.from({ length: count }, (_, number) => at(mark.row + number, lane));
      const key = numbers.join();
      if (!seen.has(key)) yield numbers;
      seen.add(key);
    }
  }

  #turned(y) {
    return this.#about.turned === null ? y : this.#about.turned - y;
  }

  #marks(sheet, mark, at, alive) {
    const { low, edge } = this.#about;
    for (const [x, given] of this.#said(mark, 2, at, alive)) {
      const y = this.#turned(given);
      const inside = [x, y].every((value, axis) => low[axis] <= value && value <= low[axis] + edge[axis]);
      if (inside) this.#put(sheet, mark.paint, [x, y]);
    }
  }

  #lines(sheet, { ink, thick }, lines) {
    const { low, edge } = this.#about;
    const [left, top] = this.middle(low[0], low[1]);
    const [right, bottom] = this.middle(low[0] + edge[0], low[1] + edge[1]);
    sheet.within(left, top, right - left, bottom - top, () => {
      for (const [x, y, toX, toY] of lines) {
        const ends = [...this.middle(x, this.#turned(y)), ...this.middle(toX, this.#turned(toY))];
        sheet.stroke(...ends, ink, thick);
      }
    });
  }

  /* The dead, then the living, the agent of the lowest number on top. */
  #players(sheet, worlds, alive) {
    const { players } = this.#about;
    if (players.aside || !worlds.about.arrays.some((array) => array.name === "position")) return;
    const { worlds: count, agents } = worlds;
    const lanes = count * agents;
    const position = worlds.array("position");
    const meters = players.heading === null ? null : worlds.array("meters");
    const order = Array.from({ length: agents }, (_, agent) => agent).sort((a, b) => alive[a] - alive[b] || b - a);
    for (const agent of order) {
      if (players.unborn && alive[agent] === 0) continue;
      const look = agents === 1 ? players.alone : players.looks[players.of[agent]];
      const facing = meters === null ? 0 : meters[players.heading * lanes + agent];
      const place = [position[agent], position.length > lanes ? position[lanes + agent] : 0];
      this.#put(sheet, alive[agent] === 0 ? look.dead : look.alive[facing], place);
    }
  }
}

/* Where an affordance is; null without a space. */
export function placeOf(axes, worlds) {
  if (axes === null) return null;
  const place = axes.map((axis) => {
    if (axis.array === undefined) return axis.number;
    const value = worlds.array(axis.array)[axis.row * worlds.worlds];
    if (axis.divide === undefined) return value;
    const cell = Math.floor(value / axis.divide);
    return axis.size === undefined ? cell : cell % axis.size;
  });
  return [place[0], place[1] ?? 0];
}

/* Runs of equal values, one by one. */
const each = (runs) => runs.flatMap(([value, count]) => Array(count).fill(value));

/* The writing of a letter on a cell. */
const written = (stroke, letter, ink) => [...stroke.slice(0, 3), letter, ink];

/* The ink of letters on a colour: the dark one on a light colour, the light one on a dark colour. */
function inkUpon(fill, [dark, light], theme) {
  const [red, green, blue] = channels(fill, theme);
  return 299 * red + 587 * green + 114 * blue > 128000 ? dark : light;
}

/* The paint of a cell in another colour. */
function painted(stroke, fill) {
  return stroke[0] === "box" ? [...stroke.slice(0, 5), fill] : [...stroke.slice(0, 4), fill, stroke[5]];
}

/* A colour under a share of the ink of a layer: a tint darkens paper, as inks do, and covers a dark page. */
function inked(fill, layer, share, theme) {
  if (share === 0) return fill;
  const [below, above] = [channels(fill, theme), channels(layer.ink, theme)];
  const tints = layer.tint !== null && !theme.dark;
  const part = layer.tint === null ? share : layer.tint * share;
  const mixed = below.map((base, channel) => {
    const over = above[channel];
    return Math.round(tints ? base * (1 - part * (1 - over / 255)) : base + part * (over - base));
  });
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour, theme) {
  const code = theme[colour] ?? colour;
  return [1, 3, 5].map((begin) => parseInt(code.slice(begin, begin + 2), 16));
}

/* What hamletc's painter does on pixels, on a canvas. */
export class Sheet {
  #context;
  #theme;

  constructor(context, theme) {
    this.#context = context;
    this.#theme = theme;
    context.font = '12px "DejaVu Sans Mono", ui-monospace, monospace';
    context.textBaseline = "top";
  }

  all(strokes, right = 0, down = 0) {
    this.#context.save();
    this.#context.translate(right, down);
    for (const [kind, ...given] of strokes) this[kind](...given);
    this.#context.restore();
  }

  within(x, y, width, height, paint) {
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(x, y, width, height);
    this.#context.clip();
    paint();
    this.#context.restore();
  }

  box(x, y, width, height, fill) {
    this.#context.fillStyle = this.#colour(fill);
    this.#context.fillRect(x, y, width, height);
  }

  ring(x, y, radius, edge, thick) {
    const context = this.#context;
    context.beginPath();
    if (thick >= radius) {
      context.fillStyle = this.#colour(edge);
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
      return;
    }
    context.strokeStyle = this.#colour(edge);
    context.lineWidth = thick;
    context.arc(x, y, radius - thick / 2, 0, 2 * Math.PI);
    context.stroke();
  }

  hexagon(x, y, size, fill, edge) {
    const context = this.#context;
    context.beginPath();
    for (let corner = 0; corner < 6; corner += 1) {
      const angle = (Math.PI / 3) * corner + Math.PI / 6;
      context.lineTo(x + (size / Math.sqrt(3)) * Math.cos(angle), y + (size / Math.sqrt(3)) * Math.sin(angle));
    }
    context.closePath();
    context.fillStyle = this.#colour(fill);
    context.fill();
    if (edge === null) return;
    context.strokeStyle = this.#colour(edge);
    context.lineWidth = 1;
    context.stroke();
  }

  stroke(x, y, toX, toY, ink, thick) {
    const context = this.#context;
    context.beginPath();
    context.strokeStyle = this.#colour(ink);
    context.lineWidth = thick;
    context.lineCap = "round";
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
  }

  write(x, y, text, ink) {
    this.#context.fillStyle = this.#colour(ink);
    this.#context.fillText(text, x, y);
  }

  #colour(name) {
    return this.#theme[name] ?? name;
  }
}
