/* The workshop of a page: a text that a reader edits, the compiler, and what is kept of it in this browser. */

import { Assistant } from "./assist.js";
import { Compiler } from "./compiler.js";
import { Editor } from "./editor.js";
import { part } from "./parts.js";

export const LINKED = "text"; // the place of a text that came with a link
const PAUSE = 100; // milliseconds after a key

export class Workshop {
  #compiler = new Compiler((ready, failed) => this.#told(ready, failed));
  // It is asked before the editor is what a key does.
  #assistant = new Assistant(part("typed"), part("offers"), part("about"), (ask, at) => (this.#compiler.ready ? this.#answer(ask, { at }) : null));
  #editor = new Editor(part("typed"), part("painted"), part("findings"), () => this.#typed());
  #place = "";
  #source = "";
  #files = {};
  #policy = null;
  #clock = 0;
  #made;
  #restored;

  /* `made` is called with the bytes of a module, what a page must know of it, and its text; `restored` with the universe whose own text is
  back. */
  constructor(made, restored) {
    [this.#made, this.#restored] = [made, restored];
    part("workshop").hidden = false;
    part("bench").classList.add("making");
    part("format").onclick = () => this.#format();
    part("mend").onclick = () => this.#mend();
    part("original").onclick = () => this.#original();
    part("typed").addEventListener("keydown", (event) => this.#pressed(event));
  }

  /* Begin to load the compiler. */
  load() {
    if (!this.#compiler.ready) this.#say("The compiler is loading ...");
    this.#compiler.begin();
  }

  /* Open the text of a universe, which may read files and have a policy, or what somebody made of it here before. With `now` it is compiled even if
  nobody did. */
  open(place, source, { files, policy }, now = false) {
    this.#assistant.close();
    [this.#place, this.#source, this.#files, this.#policy] = [place, source, files, policy];
    const before = now ? null : recalled(place);
    this.#editor.text = before ?? source;
    part("original").hidden = this.#editor.text === source;
    if (before !== null) this.#say("Your text of before, which this browser kept");
    if (now || before !== null) this.#compile();
    else if (this.#compiler.ready) this.#check();
  }

  #told(ready, failed) {
    if (ready && this.#compiler.idle) this.#check();
    if (!ready) this.#say(`There is no compiler here: ${failed}. What you type is kept.`);
  }

  #say(message) {
    part("state").textContent = message;
  }

  #typed() {
    const { text } = this.#editor;
    keep(this.#place, text === this.#source ? null : text);
    part("original").hidden = text === this.#source;
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => this.#compile(), PAUSE);
  }

  async #compile() {
    clearTimeout(this.#clock);
    if (this.#place !== LINKED && this.#editor.text === this.#source) return this.#restored(this.#place);
    const begun = performance.now();
    const answer = await this.#answer("compile", { policy: this.#policy });
    if (answer === null) return;
    this.#editor.show(answer.diagnostics);
    if (answer.about === undefined) return this.#say(counted(answer.diagnostics));
    await this.#made(answer.module, answer.about, this.#editor.text);
    this.#say(`${counted(answer.diagnostics)}, runs ${Math.round(performance.now() - begun)} ms after the last key`);
  }

  /* Show what is wrong with a text that runs already. */
  async #check() {
    const answer = await this.#answer("check");
    if (answer === null) return;
    this.#editor.show(answer.diagnostics);
    this.#say(counted(answer.diagnostics));
  }

  async #format() {
    const answer = await this.#answer("format");
    if (answer === null) return;
    if (answer.text === undefined) return this.#editor.show(answer.diagnostics);
    if (answer.text !== this.#editor.text) this.#editor.replace(answer.text);
  }

  /* Do all that hints say for certain. */
  async #mend() {
    const answer = await this.#answer("mend");
    if (answer?.text === undefined) return;
    if (answer.text === this.#editor.text) this.#say("Nothing here is certain enough");
    else this.#editor.replace(answer.text);
  }

  /* The answer about the text as it is; null where it is another by then, or none came. */
  async #answer(ask, more = {}) {
    const { text } = this.#editor;
    this.load();
    try {
      const answer = await this.#compiler.ask(ask, text, this.#files, more);
      return text === this.#editor.text ? answer : null;
    } catch (error) {
      this.#say(error.message);
      return null;
    }
  }

  #original() {
    this.#editor.replace(this.#source);
  }

  #pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#compile();
    else if (event.key.toLowerCase() === "f" && event.altKey && event.shiftKey) this.#format();
    else return;
    event.preventDefault();
  }
}

function counted(diagnostics) {
  const counts = ["error", "warning"].map((kind) => [kind, diagnostics.filter((each) => each.severity === kind).length]);
  return counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}${count > 1 ? "s" : ""}`).join(", ") || "No problems";
}

const name = (place) => `hamletc ${place}`;

function keep(place, text) {
  try {
    if (text === null) localStorage.removeItem(name(place));
    else localStorage.setItem(name(place), text);
  } catch {
    part("state").textContent = "This browser keeps nothing: copy your text before you leave";
  }
}

function recalled(place) {
  try {
    return localStorage.getItem(name(place));
  } catch {
    return null;
  }
}
