/* The text of a universe, as one edits it: a field, the same text in colours below it, and what is wrong beneath. */

const TOKENS = /(#.*)|("(?:[^"\\\n]|\\.)*")|(\b\d[\d_.]*(?:e[+-]?\d+)?\b)|(^[ \t]*[a-z][a-z_]*|(?<=\{[ \t]*)[a-z][a-z_]*)|([^\s])/gm;
const KINDS = ["remark", "string", "number", "word"];

const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/* What is done to what is wrong, in some words. */
function title({ edits, sure }) {
  const [{ text }] = edits;
  const word = sure ? "Write" : "Try";
  if (edits.length > 1) return sure ? "Do it" : "Try it";
  return text.trim() === "" ? "Leave it out" : `${word} ${text.trim()}`;
}

export class Editor {
  #field;
  #below;
  #list;
  #found = [];

  /* `changed` is called with a text that somebody typed. */
  constructor(field, below, list, changed) {
    [this.#field, this.#below, this.#list] = [field, below, list];
    field.addEventListener("input", () => {
      this.#found = [];
      this.#paint();
      changed(this.text);
    });
    field.addEventListener("scroll", () => this.#follow());
    field.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get text() {
    return this.#field.value;
  }

  /* Show a text. The place of the cursor stays where it can. */
  set text(text) {
    if (text !== this.text) {
      const at = this.#field.selectionStart;
      this.#field.value = text;
      this.#field.setSelectionRange(Math.min(at, text.length), Math.min(at, text.length));
    }
    this.show([]);
  }

  /* Put another text in the place of this one, which can be undone like what somebody types. */
  replace(text) {
    this.#field.focus();
    this.#field.select();
    document.execCommand("insertText", false, text);
  }

  /* Show what is wrong with the text. */
  show(diagnostics) {
    const lines = this.text.split("\n");
    const begins = [0];
    for (const line of lines) begins.push(begins.at(-1) + line.length + 1);
    // Columns count characters, places in a text of JavaScript do not.
    const place = ([line, column]) => (begins[line - 1] ?? this.text.length) + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.#found = diagnostics.map((each) => {
      const [begin, end] = [place(each.begin), place(each.end)];
      const edits = (each.edits ?? []).map((edit) => ({ from: place(edit.begin), to: place(edit.end), text: edit.text }));
      return { ...each, edits, from: begin, to: Math.max(end, begin + 1) };
    });
    this.#list.replaceChildren(...this.#found.map((each) => {
      const said = each.code === "" ? each.message : `Line ${each.begin[0]}: ${each.message}`;
      const go = made("button", { type: "button", onclick: () => this.#go(each) }, said);
      const mend = each.edits?.length ? [made("button", { type: "button", className: "mend", onclick: () => this.#mend(each) }, title(each))] : [];
      return made("li", { className: each.severity }, go, ...(each.hint ? [made("p", {}, each.hint, ...mend)] : mend));
    }));
    this.#field.setAttribute("aria-invalid", String(this.#found.some((each) => each.severity === "error")));
    this.#paint();
  }

  #go(found) {
    this.#field.focus();
    this.#field.setSelectionRange(found.from, found.to);
    const high = parseFloat(getComputedStyle(this.#field).lineHeight);
    this.#field.scrollTop = Math.max((found.begin[0] - 4) * high, 0);
  }

  /* Write what a hint says, from the last place to the first; it can be undone. */
  #mend({ edits }) {
    this.#field.focus();
    for (const { from, to, text } of [...edits].sort((a, b) => b.from - a.from)) {
      this.#field.setSelectionRange(from, to);
      document.execCommand(text === "" ? "delete" : "insertText", false, text);
    }
  }

  /* F8 goes to the next thing that is wrong, Alt+Enter mends it; a new line begins below the one above it. */
  #pressed(event) {
    if (event.key === "F8" && this.#found.length > 0) {
      const at = this.#field.selectionStart;
      this.#go(this.#found.find((each) => each.from > at) ?? this.#found[0]);
    } else if (event.key === "Enter" && event.altKey) {
      const able = this.#found.filter((each) => each.edits.length > 0);
      const at = this.#field.selectionStart;
      const line = (place) => this.text.slice(0, place).split("\n").length;
      const here = able.find((each) => each.from <= at && at <= each.to) ?? able.find((each) => line(each.from) === line(at));
      const next = here ?? able.find((each) => each.from > at) ?? able[0];
      if (next !== undefined) this.#mend(next);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) {
      const before = this.text.slice(0, this.#field.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = /^[ \t]*/.exec(line)[0] + (/\{\s*$/.test(line) ? "    " : "");
      // The only way to write into a field that can be undone.
      document.execCommand("insertText", false, `\n${indent}`);
    } else return;
    event.preventDefault();
  }

  #follow() {
    this.#below.style.transform = `translate(${-this.#field.scrollLeft}px, ${-this.#field.scrollTop}px)`;
  }

  #paint() {
    const text = this.text;
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(TOKENS)) {
      const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
      if (kind === undefined) continue;
      parts.push(...this.#marked(text, at, match.index, ""), ...this.#marked(text, match.index, match.index + match[0].length, kind));
      at = match.index + match[0].length;
    }
    this.#below.replaceChildren(...parts, ...this.#marked(text, at, text.length, ""), "\n");
    this.#follow();
  }

  /* A piece of the text, cut where something is wrong. */
  *#marked(text, from, to, kind) {
    const cuts = new Set([from, to, ...this.#found.flatMap((each) => [each.from, each.to]).filter((at) => from < at && at < to)]);
    const places = [...cuts].sort((a, b) => a - b);
    for (let place = 0; place + 1 < places.length; place += 1) {
      const [begin, end] = [places[place], places[place + 1]];
      const over = this.#found.filter((each) => each.from <= begin && end <= each.to);
      const wrong = over.find((each) => each.severity === "error") ?? over[0];
      const names = [kind, wrong?.severity].filter(Boolean).join(" ");
      yield names === "" ? document.createTextNode(text.slice(begin, end)) : made("span", { className: names }, text.slice(begin, end));
    }
  }
}
