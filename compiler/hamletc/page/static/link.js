/* Links: what is behind the # of an address says which universe runs, how, and which digest a reader shall see. */

const LONGEST = 32768;
const MOST = 2n ** 64n - 1n;

const PLAYERS = ["random", "policy"];

/* A link as { universe, text, seed, agents, by, params, digest }, of which `text` is packed; what it does not say is undefined. Throws an Error whose message is for
readers. */
export function read(hash) {
  const text = hash.replace(/^#/, "");
  if (text.length > LONGEST) throw new Error(`this link is longer than ${LONGEST} letters`);
  const setup = { params: {} };
  for (const part of text === "" ? [] : text.split("&")) {
    const [name, value] = halves(part);
    if (name === "universe") setup.universe = value;
    else if (name === "text") setup.text = value;
    else if (name === "seed") setup.seed = whole(name, value);
    else if (name === "agents") setup.agents = Number(whole(name, value));
    else if (name === "by") setup.by = player(value);
    else if (name === "digest") setup.digest = digest(value);
    else if (name.startsWith("param.")) setup.params[name.slice("param.".length)] = number(name, value);
    else throw new Error(`this link says "${name}", which pages of this version do not know`);
  }
  return setup;
}

/* The link of a setup. */
export function written({ universe, text, seed, agents, by, params, digest: promised }) {
  const parts = [["universe", universe], ["text", text], ["seed", seed], ["agents", agents], ["by", by]].filter(([, value]) => value !== undefined);
  for (const [name, value] of Object.entries(params)) parts.push([`param.${name}`, value]);
  if (promised !== undefined) parts.push(["digest", promised]);
  return `#${parts.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`;
}

/* A link that is too long for an address. */
export const isLong = (link) => link.length > LONGEST;

/* What is wrong with a setup of a universe, in a line; null where nothing is. */
export function wrong({ agents, by, params }, about) {
  const { least, most } = about.agents;
  if (!(agents >= least && agents <= most)) return `${about.name} has ${least} to ${most} agents on a page, not ${agents}`;
  if (by === "policy" && about.policy === null) return `${about.name} has no policy on this page`;
  for (const [name, value] of Object.entries(params)) {
    const param = about.params.find((each) => each.name === name);
    if (param === undefined) return `${about.name} has no param ${name}`;
    if (value < (param.low ?? -Infinity) || value > (param.high ?? Infinity)) return `the param ${name} is ${param.low} to ${param.high}, not ${value}`;
  }
  return null;
}

function halves(part) {
  const at = part.indexOf("=");
  if (at < 1) throw new Error("this link is cut off");
  try {
    return [part.slice(0, at), part.slice(at + 1)].map(decodeURIComponent);
  } catch {
    throw new Error("this link is cut off");
  }
}

function whole(name, value) {
  if (!/^[0-9]{1,20}$/.test(value) || BigInt(value) > MOST) throw new Error(`the ${name} of this link is no whole number from 0 to 2^64 - 1`);
  return BigInt(value);
}

function number(name, value) {
  if (value.trim() === "" || !Number.isFinite(Number(value))) throw new Error(`${name} of this link is no number`);
  return Number(value);
}

function player(value) {
  if (!PLAYERS.includes(value)) throw new Error(`this link is played by "${value}", and pages of this version know ${PLAYERS.join(" and ")}`);
  return value;
}

function digest(value) {
  if (!/^[0-9a-f]{16}$/.test(value)) throw new Error("the digest of this link is cut off: it has 16 letters");
  return value;
}
