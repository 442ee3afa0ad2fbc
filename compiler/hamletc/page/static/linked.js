/* Links between agents: whether a condition of two agents holds, by the operations of hamletc's IR on the same numbers. */

const words = new DataView(new ArrayBuffer(4));
const wide = (a, b) => BigInt(a) * BigInt(b);

/* What operations mean, by their names and the type of their operands. A condition is true or false. */
const MEANINGS = {
  add: { f32: (a, b) => Math.fround(a + b), i32: (a, b) => (a + b) | 0, u32: (a, b) => (a + b) >>> 0 },
  sub: { f32: (a, b) => Math.fround(a - b), i32: (a, b) => (a - b) | 0, u32: (a, b) => (a - b) >>> 0 },
  mul: { f32: (a, b) => Math.fround(a * b), i32: Math.imul, u32: (a, b) => Math.imul(a, b) >>> 0 },
  mul_high: { u32: (a, b) => Number(wide(a, b) >> 32n) },
  div: { f32: (a, b) => Math.fround(a / b), u32: (a, b) => Math.floor(a / b) },
  rem: { u32: (a, b) => a % b },
  neg: { f32: (a) => -a, i32: (a) => -a | 0 },
  abs: { f32: Math.abs, i32: (a) => Math.abs(a) | 0 },
  sqrt: { f32: (a) => Math.fround(Math.sqrt(a)) },
  less: (a, b) => a < b,
  less_equal: (a, b) => a <= b,
  equal: (a, b) => a === b,
  and: { bool: (a, b) => a && b, u32: (a, b) => (a & b) >>> 0 },
  or: { bool: (a, b) => a || b, u32: (a, b) => (a | b) >>> 0 },
  xor: { u32: (a, b) => (a ^ b) >>> 0 },
  not: (a) => !a,
  shift_left: { u32: (a, b) => (a << b) >>> 0 },
  shift_right: { u32: (a, b) => a >>> b },
  select: (condition, then, otherwise) => (condition ? then : otherwise),
  to_f32: (a) => Math.fround(a),
  to_u32: (a) => a >>> 0,
  to_i32: (a) => a | 0,
  to_bits: (a) => (words.setFloat32(0, a), words.getUint32(0)),
  from_bits: (a) => (words.setUint32(0, a), words.getFloat32(0)),
};

/* Each two living agents of the first of some worlds, the lower number first, of whom the condition holds, whichever of them asks. */
export function* linked(links, worlds, most) {
  const { agents } = worlds;
  const lanes = worlds.worlds * agents;
  const [alive, observed, position] = ["alive", "observation", "position"].map((name) => worlds.array(name));
  const pairs = links.nodes.some(([op]) => op === "fetch") ? worlds.array("pair_states") : null;
  const values = links.nodes.map(() => 0);
  let [own, other] = [0, 0];
  const read = {
    observed: (row) => (agent) => observed[row * lanes + agent],
    at: (axis) => (agent) => position[axis * lanes + agent],
    agent: () => (agent) => agent,
  };
  const steps = links.nodes.map(([op, type, first, ...of]) => {
    if (op === "const") return () => first;
    if (op === "own" || op === "other") {
      const value = read[type](first);
      return op === "own" ? () => value(own) : () => value(other);
    }
    if (op === "lookup") return () => links.tables[first][values[of[0]]];
    if (op === "fetch") return () => pairs[first + values[of[0]]];
    const meaning = MEANINGS[op][type] ?? MEANINGS[op];
    const [second, third] = of;
    return () => meaning(values[first], values[second], values[third]);
  });
  const holds = (one, two) => {
    [own, other] = [one, two];
    for (let step = 0; step < steps.length; step += 1) values[step] = steps[step]();
    return values[steps.length - 1];
  };
  let count = 0;
  for (let one = 0; one < agents; one += 1) {
    if (alive[one] === 0) continue;
    for (let two = one + 1; two < agents && count < most; two += 1) {
      if (alive[two] === 0 || !(holds(one, two) || holds(two, one))) continue;
      count += 1;
      yield [one, two].flatMap((agent) => [position[agent], position[lanes + agent]]);
    }
  }
}
