/* The keys of actions. */

const KEYS = {
  up: "ArrowUp", down: "ArrowDown", left: "ArrowLeft", right: "ArrowRight", forward: "ArrowUp", backward: "ArrowDown",
  north: "ArrowUp", south: "ArrowDown", west: "ArrowLeft", east: "ArrowRight", turn_left: "ArrowLeft", turn_right: "ArrowRight",
  interact: "Enter", wait: ".",
};
const SHOWN = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const DIGITS = "1234567890";

/* The key of each action, as events name it; undefined where there are more actions than keys. */
export function keysOf(actions) {
  const free = new Set(Object.values(KEYS));
  const digits = [...DIGITS];
  return actions.map((name) => {
    const key = KEYS[name.toLowerCase()];
    return free.delete(key) ? key : digits.shift();
  });
}

/* A key as a button shows it. */
export const shownKey = (key) => SHOWN[key] ?? key;

/* Whether a key that was pressed is the page's: a field and a list have keys of their own, and so has a button that is pressed. */
export function isFree({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return false;
  const { localName, type } = target;
  if (localName === "select" || localName === "textarea" || (localName === "input" && type !== "range")) return false;
  if (localName === "input" && key.startsWith("Arrow")) return false;
  return !((localName === "button" || localName === "summary") && (key === " " || key === "Enter"));
}
