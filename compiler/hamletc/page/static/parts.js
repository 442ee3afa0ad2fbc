/* Elements of the page, made and found. */

export const part = (id) => document.getElementById(id);

export const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

export const round = (value) => String(Number(value.toPrecision(4)));

export function swatch(colour) {
  const square = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const fill = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  square.setAttribute("aria-hidden", "true");
  fill.setAttribute("width", "100%");
  fill.setAttribute("height", "100%");
  fill.setAttribute("fill", colour);
  square.append(fill);
  return square;
}

/* A number between bounds; where a bound is none, one that is typed. */
export function slider({ name, low, high, whole }, value, changed) {
  const bounded = low !== null && high !== null;
  const step = whole ? 1 : "any";
  const input = made("input", bounded ? { type: "range", min: low, max: high, step, value } : { type: "number", step: "any", value });
  const output = made("output", {}, round(value));
  input.dataset.name = name;
  input.oninput = () => {
    if (!Number.isFinite(input.valueAsNumber)) return;
    output.textContent = round(input.valueAsNumber);
    changed(input.valueAsNumber);
  };
  return { label: made("label", {}, name, input, output) };
}

/* The context of a canvas that has so many pixels of the page. */
export function sized(canvas, width, height, ratio) {
  const [across, down] = [width, height].map((size) => Math.max(Math.round(size * ratio), 1));
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export function theme() {
  const style = getComputedStyle(document.documentElement);
  const colours = Object.fromEntries(["paper", "ink", "faint", "rule"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...colours, dark: matchMedia("(prefers-color-scheme: dark)").matches };
}

/* Universes by the shelf on which they stand. */
export function shelved(universes) {
  const shelves = new Map();
  for (const each of universes) shelves.set(each.shelf, [...(shelves.get(each.shelf) ?? []), each]);
  return shelves;
}
