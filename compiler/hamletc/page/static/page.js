/* The page itself: its controls, and what they do to the run. */

import { Chart, INKS } from "./chart.js";
import { isFree, keysOf, shownKey } from "./keys.js";
import { Many } from "./many.js";
import { isLong, read, written, wrong } from "./link.js";
import { got, letters, textOf } from "./packed.js";
import { made, part, round, shelved, sized, slider, swatch, theme } from "./parts.js";
import { Picture, Sheet } from "./picture.js";
import { Run, TICKS, lacking } from "./run.js";
import { LINKED, Workshop } from "./workshop.js";

const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300, 1000, 3000]; // ticks of a second
const SLOWEST_FRAME = 100; // milliseconds: a page that was not shown does not run after what it missed
const LONGEST_TEXT = 2 ** 20; // bytes
const SOON = 1500; // milliseconds until the compiler loads: the world moves first

let run; // the world that is shown; everything below is about it
let picture;
let base; // what the page must know of the universe whose text, or whose files, are edited
let policies = []; // the modules of those that play it
let workshop = null; // where the page has a compiler
let waiting = null; // the setup and the text of a link, until it is compiled
let promised; // the digest of the link with which the page was opened, while its setup stands
let gauges = [];
let going = true;
let left = 0; // of a tick
let last = 0;
const chart = new Chart();
const many = new Many(() => run);

function say(message) {
  part("wrong").hidden = message === "";
  part("wrong").textContent = message;
}

function sign(kind, message) {
  part("bits").className = `sign ${kind}`;
  part("bits").textContent = message;
}

const parsed = async (path) => JSON.parse(new TextDecoder().decode(await got(path)));

/* Open the universe that the address names, or the first one; one whose text is in the address, once it is compiled. */
async function arrive(universes, hash) {
  const setup = read(hash);
  const text = setup.text === undefined ? null : await textOf(setup.text, LONGEST_TEXT);
  if (text !== null && workshop === null) throw new Error("this link has a text of its own, and this page has no compiler");
  const id = setup.universe ?? universes[0].id;
  if (!universes.some((each) => each.id === id)) throw new Error(`there is no universe ${id} on this page`);
  waiting = null;
  // Another text reads the files of the universe of this page from which somebody made it.
  if (text === null || run === undefined || base.id !== id) {
    const [bytes, about] = await Promise.all([got(`universes/${id}.wasm`), parsed(`universes/${id}.json`)]);
    const names = about.policy === null ? [] : (about.policy.roles ?? [null]).map((role) => (role === null ? "policy" : `policy.${role.name}`));
    policies = await Promise.all(names.map((name) => got(`universes/${id}.${name}.wasm`)));
    base = about;
    await use(bytes, about, policies, text === null ? { ...setup, universe: id } : { universe: id, params: {} });
  }
  part("universe").value = text === null ? id : "";
  part("next").hidden = text !== null || universes.find((each) => each.id === id).shelf !== "lessons";
  waiting = text === null ? null : { setup, text };
  if (text !== null) say("This link has a universe of its own, which runs once it is compiled.");
  workshop?.open(text === null ? id : LINKED, text ?? run.about.source, base, text !== null);
}

/* Run a universe with a setup of which a part may be unsaid. Its policy acts, unless there is none, or the digest of a link is that of random actions. */
async function use(bytes, about, policies, setup) {
  const by = setup.by ?? (about.policy === null || setup.digest !== undefined ? "random" : "policy");
  const whole = { ...setup, by, seed: setup.seed ?? 7n, agents: setup.agents ?? about.agents.first };
  const complaint = wrong(whole, about);
  if (complaint !== null) throw new Error(complaint);
  run = await Run.of(bytes, about, policies);
  picture = about.picture === null ? null : new Picture(about.picture);
  promised = setup.digest;
  many.stop();
  show();
  begin(whole);
  prove();
}

/* Run what a reader wrote: as the link said, or with the seed and what else there was before and can still be. */
async function edited(bytes, about, text) {
  const { seed, agents, params } = run.setup;
  const { least, most } = about.agents;
  const able = ([name, value]) => about.params.some((each) => each.name === name && (each.low ?? -Infinity) <= value && value <= (each.high ?? Infinity));
  const by = about.policy === null ? "random" : waiting === null ? run.setup.by : waiting.setup.by;
  const before = { seed, agents: least <= agents && agents <= most ? agents : undefined, params: Object.fromEntries(Object.entries(params).filter(able)) };
  const setup = waiting === null ? before : { ...waiting.setup, digest: waiting.text === text ? waiting.setup.digest : undefined };
  waiting = null;
  try {
    await use(bytes, about, about.policy === null ? [] : policies, { ...setup, by, text });
    say(about.policy === null && base.policy !== null ? `The policy ${base.policy.name} does not play this text: its agents observe, or do, something else than those it has learnt with.` : "");
    if (about.policy !== null) part("says").textContent += ` The policy ${about.policy.name} has learnt on the text as it was; it still fits, for agents observe and do the same.`;
  } catch (error) {
    say(error.message);
  }
}

/* Everything that a universe has, and a run has not. */
function show() {
  const { about } = run;
  document.title = `${about.name} - hamletc`;
  part("name").textContent = about.name;
  part("says").textContent = about.says;
  part("source").textContent = about.source;
  part("text").hidden = about.source === "" || workshop !== null;
  part("board").hidden = picture === null;
  part("world").classList.toggle("bare", picture === null);
  Object.assign(part("agents"), { min: about.agents.least, max: about.agents.most });
  part("many").hidden = about.agents.least === about.agents.most;
  const keys = keysOf(run.worlds.about.actions);
  part("actions").replaceChildren(...run.worlds.about.actions.map((name, action) => {
    const button = made("button", { type: "button", onclick: () => act(action) }, name.toLowerCase());
    button.dataset.action = action;
    if (keys[action]) button.append(made("kbd", {}, shownKey(keys[action])));
    return button;
  }));
  part("policy").hidden = about.policy === null;
  part("policy").textContent = about.policy === null ? "" : `the policy ${about.policy.name}`;
  part("given").replaceChildren(...about.controls.map((control) => slider(control, 0, () => {}).label));
  part("chosen").hidden = about.params.length === 0;
  part("params").replaceChildren();
  part("layers").replaceChildren(...(about.picture?.layers ?? []).map((layer) => made("li", {}, swatch(layer.ink), legend(layer))));
  part("stands").replaceChildren(...(about.picture?.stands ?? []).map((stand) => made("li", {}, swatch(stand.ink), stand.hours ? `${stand.name} ${stand.hours}` : stand.name)));
}

/* What a colour of cells says. */
const legend = ({ name, letter, option, paint, low, high }) => {
  const said = option !== null || paint !== null ? name : `${name} ${round(low)} to ${round(high)}`;
  return letter ? `${letter} ${said}` : said;
};

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
  part("by").value = setup.by;
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
  for (const [id, said] of [["used", run.tally.said[0]], ["ends", run.tally.said[1]]]) {
    part(id).hidden = said === "";
    part(id).textContent = `${id === "used" ? "Used" : "Ended by"}: ${said}`;
  }
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
  const [first, latest] = run.span;
  Object.assign(part("past"), { min: first, max: latest, value: worlds.ticks });
  part("back").disabled = worlds.ticks === first;
  const ratio = window.devicePixelRatio || 1;
  if (picture !== null) {
    const context = sized(part("board"), picture.width, picture.height, ratio);
    picture.paint(new Sheet(context, colours), worlds, colours);
    part("board").setAttribute("aria-label", `The board at tick ${worlds.ticks}`);
  }
  const { clientWidth, clientHeight } = part("chart");
  chart.paint(sized(part("chart"), clientWidth, clientHeight, ratio), clientWidth, clientHeight, colours);
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
  if (on) part("by").value = run.by;
}

/* Somebody else acts; a reader, with keys, for the chosen agent. */
function turn() {
  const by = part("by").value;
  if (by === "you") return go(false);
  run.turn(by);
  run.setup.by = by;
  unpromised();
}

function tick() {
  run.tick();
  chart.add(gauges.map(share));
}

function act(action) {
  if (!run.allows(agent(), action)) return;
  go(false);
  part("by").value = "you";
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
    const { universe, text, by, params } = run.setup;
    const said = read(`#seed=${encodeURIComponent(part("seed").value.trim())}&agents=${encodeURIComponent(part("agents").value)}`);
    const setup = { universe, text, by, params, seed: said.seed, agents: said.agents };
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
  const text = run.setup.text === undefined ? undefined : await letters(run.setup.text);
  const universe = text === undefined || Object.keys(base.files).length > 0 ? base.id : undefined;
  const by = run.about.policy === null ? undefined : run.setup.by;
  const link = written({ ...run.setup, universe, text, by, digest: await run.digest() });
  if (isLong(link)) return say(`a link of this universe has ${link.length} letters, which is too long for an address`);
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(location.href);
    sign("right", `✓ Copied: the link promises the bits of ${TICKS} ticks`);
  } catch {
    sign("right", "✓ The address of this page is the link");
  }
}

function pressed(event) {
  if (!run || !isFree(event)) return;
  const action = keysOf(run.worlds.about.actions).indexOf(event.key);
  if (action >= 0) act(action);
  else if (event.key === " ") go(!going);
  else if (event.key === "s") step();
  else if (event.key === "b") back(run.worlds.ticks - 1);
  else if (event.key === "r") begin(run.setup);
  else return;
  event.preventDefault();
}

function step() {
  go(false);
  part("by").value = run.by;
  tick();
  paint();
}

/* Show a tick of the past, or of what was its future. */
function back(tick) {
  go(false);
  run.back(tick);
  part("by").value = run.by;
  chart.clear();
  note();
}

function rated() {
  part("rate").textContent = `${SPEEDS[part("speed").value]} ticks/s`;
}

async function main() {
  const { universes, compiler } = await parsed("universes/index.json");
  for (const [shelf, each] of shelved(universes)) {
    const options = each.map(({ id, says }) => made("option", { value: id, title: says }, id.slice(id.lastIndexOf("/") + 1)));
    part("universe").append(...(shelf === "" ? options : [Object.assign(made("optgroup", {}, ...options), { label: shelf })]));
  }
  const come = async () => {
    say("");
    try {
      await arrive(universes, location.hash);
    } catch (error) {
      // A link that is wrong takes nothing away from a page that runs.
      if (run === undefined) await arrive(universes, "");
      say(error.message);
    }
    document.querySelector("main").hidden = false;
    paint();
  };
  const named = () => { location.hash = `#universe=${encodeURIComponent(part("universe").value)}`; };
  part("universe").onchange = named;
  part("next").onclick = () => { part("universe").selectedIndex += 1; named(); };
  part("back").onclick = () => back(run.worlds.ticks - 1);
  part("past").oninput = () => back(part("past").valueAsNumber);
  const restored = (universe) => {
    history.replaceState(null, "", `#universe=${encodeURIComponent(universe)}`);
    return come();
  };
  if (compiler) workshop = new Workshop(edited, restored);
  part("go").onclick = () => go(!going);
  part("step").onclick = step;
  part("reset").onclick = () => begin(run.setup);
  part("link").onclick = copy;
  part("speed").oninput = rated;
  part("seed").onchange = changed;
  part("agents").onchange = changed;
  part("agent").onchange = follow;
  part("by").onchange = turn;
  part("controls").onsubmit = (event) => event.preventDefault();
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", come);
  window.addEventListener("resize", () => run && paint());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => run && paint());
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) go(false);
  rated();
  await come();
  requestAnimationFrame(frame);
  setTimeout(() => workshop?.load(), SOON);
}

const missing = lacking();
if (missing !== null) say(missing);
else main().catch((error) => say(error.message));
