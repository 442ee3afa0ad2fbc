/* The page itself: its controls, and what they do to the run. */

import { Chart, INKS } from "./chart.js";
import { read, written, wrong } from "./link.js";
import { Picture, Sheet } from "./picture.js";
import { Run, TICKS } from "./run.js";

const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300, 1000, 3000]; // ticks of a second
const SLOWEST_FRAME = 100; // milliseconds: a page that was not shown does not run after what it missed
const KEYS = {
  up: "ArrowUp", down: "ArrowDown", left: "ArrowLeft", right: "ArrowRight", forward: "ArrowUp", backward: "ArrowDown",
  north: "ArrowUp", south: "ArrowDown", west: "ArrowLeft", east: "ArrowRight", turn_left: "ArrowLeft", turn_right: "ArrowRight",
  interact: "Enter", wait: ".",
};
const SHOWN = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const DIGITS = "1234567890";

const part = (id) => document.getElementById(id);
const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

let run; // the world that is shown; everything below is about it
let picture;
let promised; // the digest of the link with which the page was opened, while its setup stands
let gauges = [];
let going = true;
let left = 0; // of a tick
let last = 0;
const chart = new Chart();

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colours = Object.fromEntries(["paper", "ink", "faint", "rule"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...colours, dark: matchMedia("(prefers-color-scheme: dark)").matches };
}

function say(message) {
  part("wrong").hidden = message === "";
  part("wrong").textContent = message;
}

function sign(kind, message) {
  part("bits").className = `sign ${kind}`;
  part("bits").textContent = message;
}

async function got(path, kind) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} is not there: ${answer.status}`);
  return answer[kind]();
}

/* Open the universe that the address names, or the first one. */
async function arrive(universes) {
  say("");
  const setup = read(location.hash);
  const id = setup.universe ?? universes[0].id;
  if (!universes.some((each) => each.id === id)) throw new Error(`there is no universe ${id} on this page`);
  const [bytes, about] = await Promise.all([got(`universes/${id}.wasm`, "arrayBuffer"), got(`universes/${id}.json`, "json")]);
  const whole = { universe: id, seed: setup.seed ?? 7n, agents: setup.agents ?? about.agents.first, params: setup.params };
  const complaint = wrong(whole, about);
  if (complaint !== null) throw new Error(complaint);
  run = await Run.of(bytes, about);
  picture = about.picture === null ? null : new Picture(about.picture);
  promised = setup.digest;
  part("universe").value = id;
  show();
  begin(whole);
  prove();
}

/* Everything that a universe has, and a run has not. */
function show() {
  const { about } = run;
  document.title = `${about.name} - hamletc`;
  part("name").textContent = about.name;
  part("says").textContent = about.says;
  part("source").textContent = about.source;
  part("text").hidden = about.source === "";
  part("board").hidden = picture === null;
  part("world").classList.toggle("bare", picture === null);
  Object.assign(part("agents"), { min: about.agents.least, max: about.agents.most });
  part("many").hidden = about.agents.least === about.agents.most;
  const keys = keysOf(run.worlds.about.actions);
  part("actions").replaceChildren(...run.worlds.about.actions.map((name, action) => {
    const button = made("button", { type: "button", onclick: () => act(action) }, name.toLowerCase());
    button.dataset.action = action;
    if (keys[action]) button.append(made("kbd", {}, SHOWN[keys[action]] ?? keys[action]));
    return button;
  }));
  part("given").replaceChildren(...about.controls.map((control) => slider(control, 0, () => {}).label));
  part("chosen").hidden = about.params.length === 0;
  part("params").replaceChildren();
  part("stands").replaceChildren(...(about.picture?.stands ?? []).map((stand) => made("li", {}, swatch(stand.ink), stand.hours ? `${stand.name} ${stand.hours}` : stand.name)));
}

function keysOf(actions) {
  const free = new Set(Object.values(KEYS));
  const digits = [...DIGITS];
  return actions.map((name) => {
    const key = KEYS[name.toLowerCase()];
    return free.delete(key) ? key : digits.shift();
  });
}

function swatch(colour) {
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
function slider({ name, low, high, whole }, value, changed) {
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

const round = (value) => String(Number(value.toPrecision(4)));

/* Begin a run anew. */
function begin(setup) {
  run.begin(setup);
  run.worlds.observe();
  part("seed").value = setup.seed;
  part("agents").value = setup.agents;
  const before = Number(part("agent").value) || 0;
  part("agent").replaceChildren(...run.about.of.names.slice(0, setup.agents).map((name, value) => made("option", { value }, name)));
  part("agent").value = Math.min(before, setup.agents - 1);
  part("whose").hidden = setup.agents === 1;
  part("params").replaceChildren(...run.about.params.map((param) => slider(param, setup.params[param.name] ?? param.default, (value) => {
    run.change(param.name, value);
    run.setup.params = { ...run.setup.params, [param.name]: value };
    unpromised();
  }).label));
  follow();
}

/* Show another agent. */
function follow() {
  const { about } = run;
  const names = about.of.gauges[about.of.numbers[agent()]];
  gauges = names.map((name) => about.gauges.find((gauge) => gauge.name === name));
  chart.clear();
  part("gauges").replaceChildren(...gauges.flatMap((gauge, number) => [
    made("span", { className: "label" }, swatch(INKS[number % INKS.length]), gauge.name),
    gauge.options.length || gauge.low === null || gauge.high === null || gauge.low === gauge.high
      ? made("span", {})
      : Object.assign(made("meter", { min: 0, max: 1, low: 0.25, high: 0.5, optimum: 1 }), { ariaLabel: gauge.name }),
    made("span", { className: "value" }),
  ]));
  note();
}

const agent = () => Number(part("agent").value) || 0;

const share = (gauge) => {
  if (gauge.low === null || gauge.high === null || gauge.low === gauge.high) return 0;
  return Math.min(Math.max((run.value(gauge, agent()) - gauge.low) / (gauge.high - gauge.low), 0), 1);
};

/* What a tick leaves behind it: a sample, and a picture. */
function note() {
  chart.add(gauges.map(share));
  paint();
}

function paint() {
  const { worlds } = run;
  const colours = theme();
  const hour = run.number("hour");
  const age = run.number("age", agent());
  const clock = hour === undefined ? "" : `, hour ${hour}`;
  const life = run.number("alive", agent()) ? `age ${age}` : "dead";
  part("when").textContent = `Tick ${worlds.ticks}, episode ${run.number("episode")}${clock}. ${run.about.of.names[agent()]}: ${life}, return ${round(run.number("episode_return", agent()))}`;
  const cells = part("gauges").children;
  gauges.forEach((gauge, number) => {
    const value = run.value(gauge, agent());
    const [bar, said] = [cells[3 * number + 1], cells[3 * number + 2]];
    if (bar.localName === "meter") bar.value = share(gauge);
    said.textContent = gauge.options.length ? gauge.options[value] : round(value);
  });
  for (const button of part("actions").children) button.disabled = !run.allows(agent(), Number(button.dataset.action));
  const observed = worlds.array("observation");
  (run.about.picture?.stands ?? []).forEach((stand, number) => {
    const is = (row) => row === null || observed[row * worlds.agents] !== 0;
    part("stands").children[number].className = is(stand.opens) && is(stand.there) ? "" : "closed";
  });
  const ratio = window.devicePixelRatio || 1;
  if (picture !== null) {
    const context = sized(part("board"), picture.width, picture.height, ratio);
    picture.paint(new Sheet(context, colours), worlds, colours);
    part("board").setAttribute("aria-label", `The board at tick ${worlds.ticks}`);
  }
  const { clientWidth, clientHeight } = part("chart");
  chart.paint(sized(part("chart"), clientWidth, clientHeight, ratio), clientWidth, clientHeight, colours);
}

function sized(canvas, width, height, ratio) {
  const [across, down] = [width, height].map((size) => Math.max(Math.round(size * ratio), 1));
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/* Say whether this browser has the bits that are promised. */
async function prove() {
  sign("", "Checking the bits ...");
  const asked = run;
  const [own, digest] = await Promise.all([asked.proven(), asked.digest()]);
  if (asked !== run) return;
  if (own === false) sign("other", "Other bits than those of hamletc's interpreter");
  else if (promised === undefined && own === null) sign("", `A link promises the bits of its first ${TICKS} ticks`);
  else if (promised === undefined) sign("right", `✓ Same bits as hamletc's interpreter, ${TICKS} ticks`);
  else if (promised === digest) sign("right", `✓ The bits that the link promises, ${TICKS} ticks`);
  else sign("other", `Other bits than the link promises: ${digest}`);
}

/* The setup is no longer that of the link. */
function unpromised() {
  if (promised === undefined) return;
  promised = undefined;
  sign("", "Changed since the link was opened");
}

function go(on) {
  going = on;
  part("go").textContent = on ? "Pause" : "Play";
}

function tick() {
  run.tick();
  chart.add(gauges.map(share));
}

function act(action) {
  if (!run.allows(agent(), action)) return;
  go(false);
  const given = [...part("given").querySelectorAll("input")].map((input) => [input.dataset.name, input.valueAsNumber]);
  run.play(agent(), action, Object.fromEntries(given));
  note();
}

function frame(now) {
  const passed = Math.min(now - last, SLOWEST_FRAME);
  last = now;
  if (going && run && !document.hidden) {
    left += (passed / 1000) * SPEEDS[part("speed").value];
    const begun = performance.now();
    // Where ticks take longer than there is time for them, the world is slower, and the page stays awake.
    for (; left >= 1 && performance.now() - begun < SLOWEST_FRAME / 4; left -= 1) tick();
    left = Math.min(left, 1);
    paint();
  }
  requestAnimationFrame(frame);
}

function changed() {
  try {
    const { universe, params } = run.setup;
    const said = read(`#seed=${encodeURIComponent(part("seed").value.trim())}&agents=${encodeURIComponent(part("agents").value)}`);
    const setup = { universe, params, seed: said.seed, agents: said.agents };
    const complaint = wrong(setup, run.about);
    if (complaint !== null) throw new Error(complaint);
    say("");
    unpromised();
    begin(setup);
  } catch (error) {
    say(error.message.replace(" of this link", ""));
  }
}

async function copy() {
  const link = written({ ...run.setup, digest: await run.digest() });
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(location.href);
    sign("right", `✓ Copied: the link promises the bits of ${TICKS} ticks`);
  } catch {
    sign("right", "✓ The address of this page is the link");
  }
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !run) return;
  const { localName, type } = event.target;
  if (localName === "select" || (localName === "input" && type !== "range")) return;
  const moves = event.key.startsWith("Arrow");
  if (localName === "input" && moves) return;
  if ((localName === "button" || localName === "summary") && (event.key === " " || event.key === "Enter")) return;
  const action = keysOf(run.worlds.about.actions).indexOf(event.key);
  if (action >= 0) act(action);
  else if (event.key === " ") go(!going);
  else if (event.key === "s") step();
  else if (event.key === "r") begin(run.setup);
  else return;
  event.preventDefault();
}

function step() {
  go(false);
  tick();
  paint();
}

function rated() {
  part("rate").textContent = `${SPEEDS[part("speed").value]} ticks/s`;
}

async function main() {
  const universes = await got("universes/index.json", "json");
  const shelves = Map.groupBy ? Map.groupBy(universes, (each) => each.shelf) : grouped(universes);
  for (const [shelf, each] of shelves) {
    const options = each.map(({ id, says }) => made("option", { value: id, title: says }, id.slice(id.lastIndexOf("/") + 1)));
    part("universe").append(...(shelf === "" ? options : [Object.assign(made("optgroup", {}, ...options), { label: shelf })]));
  }
  const come = () => arrive(universes).then(() => { document.querySelector("main").hidden = false; paint(); }, (error) => say(error.message));
  part("universe").onchange = () => { location.hash = `#universe=${encodeURIComponent(part("universe").value)}`; };
  part("go").onclick = () => go(!going);
  part("step").onclick = step;
  part("reset").onclick = () => begin(run.setup);
  part("link").onclick = copy;
  part("speed").oninput = rated;
  part("seed").onchange = changed;
  part("agents").onchange = changed;
  part("agent").onchange = follow;
  part("controls").onsubmit = (event) => event.preventDefault();
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", come);
  window.addEventListener("resize", () => run && paint());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => run && paint());
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) go(false);
  rated();
  await come();
  requestAnimationFrame(frame);
}

function grouped(universes) {
  const shelves = new Map();
  for (const each of universes) shelves.set(each.shelf, [...(shelves.get(each.shelf) ?? []), each]);
  return shelves;
}

if (typeof WebAssembly === "undefined") say("This browser has no WebAssembly.");
else main().catch((error) => say(location.protocol === "file:" ? "Open this page from a host: hamletc page said how." : error.message));
