/* Help while somebody types: what can stand at the cursor, and lines about a word. */

import { made } from "./parts.js";

const REST = 450; // milliseconds of a pointer that rests
const SHORTEST = 2; // letters of a word for which offers come by themselves
const ROWS = 8;

export class Assistant {
  #field;
  #list;
  #about;
  #ask;
  #offers = [];
  #from = 0;
  #chosen = 0;
  #clock = 0;

  /* `ask` gives what is answered at a place, [line, units before it], or null. */
  constructor(field, list, about, ask) {
    [this.#field, this.#list, this.#about, this.#ask] = [field, list, about, ask];
    field.addEventListener("keydown", (event) => this.#pressed(event));
    field.addEventListener("input", (event) => this.#typed(event));
    for (const gone of ["blur", "scroll", "pointerdown"]) field.addEventListener(gone, () => this.close());
    field.addEventListener("pointermove", (event) => this.#rests(event));
    field.addEventListener("pointerleave", () => clearTimeout(this.#clock));
  }

  /* Whether anything is shown. */
  get open() {
    return !this.#list.hidden || !this.#about.hidden;
  }

  close() {
    clearTimeout(this.#clock);
    [this.#list.hidden, this.#about.hidden] = [true, true];
    this.#offers = [];
    this.#field.removeAttribute("aria-activedescendant");
  }

  #pressed(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: ROWS, PageUp: -ROWS };
    if (event.key === " " && event.ctrlKey) this.#complete();
    else if (event.key.toLowerCase() === "i" && event.altKey) this.#tell(this.#field.selectionStart);
    else if (event.key === "Escape" && this.open) this.close();
    else if (this.#offers.length > 0 && event.key in moves) this.#choose(this.#chosen + moves[event.key]);
    else if (this.#offers.length > 0 && (event.key === "Enter" || event.key === "Tab") && !event.ctrlKey) this.#take(this.#chosen);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #typed(event) {
    const begun = /[A-Za-z_]\w*$/.exec(this.#field.value.slice(0, this.#field.selectionStart));
    const typed = event.inputType === "insertText" && event.data?.length === 1;
    if (typed && begun !== null && begun[0].length >= SHORTEST) this.#complete(begun[0]);
    else if (this.#offers.length > 0 && begun !== null) this.#complete(begun[0]);
    else this.close();
  }

  /* Ask what can stand at the cursor. Where only the word itself can there is nothing to show. */
  async #complete(word) {
    const answer = await this.#ask("complete", this.#place(this.#field.selectionStart));
    if (!answer?.offers || document.activeElement !== this.#field) return;
    const offers = answer.offers.filter((each) => each.text !== word);
    if (offers.length === 0) return this.close();
    this.close();
    this.#offers = offers;
    this.#from = this.#offset(answer.from);
    this.#list.replaceChildren(...offers.map((each, number) => made("li", { id: `offer${number}`, role: "option", className: each.kind,
      onpointerdown: (event) => { event.preventDefault(); this.#take(number); } }, each.text, made("small", {}, each.detail))));
    this.#list.hidden = false;
    this.#under(this.#list, this.#from);
    this.#choose(0);
  }

  #choose(number) {
    this.#chosen = Math.min(Math.max(number, 0), this.#offers.length - 1);
    [...this.#list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === this.#chosen)));
    this.#list.children[this.#chosen].scrollIntoView({ block: "nearest" });
    this.#field.setAttribute("aria-activedescendant", `offer${this.#chosen}`);
  }

  #take(number) {
    const { text } = this.#offers[number];
    this.#field.setSelectionRange(this.#from, this.#field.selectionStart);
    this.close();
    document.execCommand("insertText", false, text);
    this.close();
  }

  /* Show the lines about the word at a place. */
  async #tell(offset) {
    const answer = await this.#ask("hover", this.#place(offset));
    if (!answer?.about || this.#offers.length > 0) return;
    this.#about.replaceChildren(...shown(answer.about));
    this.#about.hidden = false;
    this.#under(this.#about, this.#offset(answer.from));
  }

  #rests(event) {
    clearTimeout(this.#clock);
    if (this.#offers.length > 0 || event.pointerType === "touch") return;
    this.#about.hidden = true;
    const { wide, high, left, top } = this.#measures();
    const line = Math.floor((event.offsetY - top + this.#field.scrollTop) / high);
    const column = Math.floor((event.offsetX - left + this.#field.scrollLeft) / wide);
    const text = this.#field.value.split("\n")[line] ?? "";
    if (column >= 0 && /\w/.test(text[column] ?? "")) this.#clock = setTimeout(() => this.#tell(this.#offset([line, column])), REST);
  }

  #place(offset) {
    const lines = this.#field.value.slice(0, offset).split("\n");
    return [lines.length - 1, lines.at(-1).length];
  }

  #offset([line, column]) {
    return this.#field.value.split("\n").slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + column;
  }

  /* How large a letter is, and where the first one stands. All are as wide, and lines are not broken. */
  #measures() {
    const style = getComputedStyle(this.#field);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    return { wide: pen.measureText("0").width, high: parseFloat(style.lineHeight), left: parseFloat(style.paddingLeft), top: parseFloat(style.paddingTop) };
  }

  /* Put something below a place of the text, or above where there is no room. */
  #under(box, offset) {
    const { wide, high, left, top } = this.#measures();
    const [line, column] = this.#place(offset);
    const x = left + column * wide - this.#field.scrollLeft;
    const y = top + (line + 1) * high - this.#field.scrollTop;
    box.style.left = `${Math.max(0, Math.min(x, this.#field.clientWidth - box.offsetWidth))}px`;
    const room = this.#field.clientHeight - y >= box.offsetHeight;
    box.style.top = `${room ? y : Math.max(0, y - high - box.offsetHeight)}px`;
  }
}

/* Markdown of hovers as elements: fences, lists, paragraphs with words in backticks. */
function* shown(markdown) {
  for (const [number, block] of markdown.split(/```(?:hamlet)?\n?/).entries()) {
    if (number % 2 === 1) yield made("pre", {}, block.trimEnd());
    else for (const each of block.split(/\n{2,}/).map((text) => text.trim()).filter((text) => text !== "" && text !== "---")) {
      const rows = each.split("\n");
      if (rows.every((row) => row.startsWith("- "))) yield made("ul", {}, ...rows.map((row) => made("li", {}, ...words(row.slice(2)))));
      else yield made("p", {}, ...words(each));
    }
  }
}

function words(text) {
  return text.replaceAll("**", "").split("`").map((piece, number) => (number % 2 === 1 ? made("code", {}, piece) : piece));
}
