// Programs that the reader writes: an editor with the stub, a check with its report, and a solution after a try.

import { Box } from "./box.mjs";
import { button, make } from "./dom.mjs";

const IMPORT = /^(?:import|from [\w.]+ import) +(\([^)]*\)|.+)/gm;
const DEFINED = /^(?:def|class) +(\w+)/gm;
const POINTS = /\b(\d+) of (\d+) points?\b/;

export class Exercise extends Box {
  #points = null;

  constructor(page, element, above) {
    const stub = element.querySelector("[data-stub]");
    const pre = stub.querySelector("pre");
    const id = element.dataset.exercise;
    const home = make("div", { className: "cell_output" });
    element.append(home);
    const title = element.querySelector(".caption-number")?.textContent.trim() ?? `Exercise ${id}`;
    const key = page.key(`ex-${id}`);
    super(page, {
      holder: element,
      element: stub,
      pre,
      home,
      book: source_of(pre),
      key,
      name: title,
      id: `ex-${id}`,
      verb: "Check",
    });
    this.task = id;
    this.above = above; // how many of the page's cells are
    this.check = source_of(element.querySelector("[data-check] pre"));
    this.#show(page.points()[id]);
  }

  // First the imports of the cells above that it needs, so that it runs where none of them has.
  async execute() {
    const source = `${this.mine}\n${this.check}`;
    const needed = imports(
      this.page.above(this).map(({ mine }) => mine),
      source,
    );
    this.#points = null;
    const first = [needed, without(this.book, this.mine)].filter(Boolean).join("\n");
    const result = await super.execute(source, first);
    if (result.status === "ok" || result.status === "error") this.holder.dataset.tried = "";
    if (this.#points) {
      this.page.keep_points(this.task, this.#points);
      this.#show(this.#points);
    }
    return result;
  }

  hear(output) {
    const found = output.type === "display" && POINTS.exec(output.data["text/plain"] ?? "");
    if (found) this.#points = [Number(found[1]), Number(found[2])];
    super.hear(output);
  }

  told(result) {
    return this.#points ? verdict(this.#points) : super.told(result);
  }

  #show(points) {
    if (!points) return;
    this.holder.dataset.tried = "";
    this.tools.hidden = false;
    this.state.textContent = verdict(points);
  }
}

const verdict = ([points, of]) => `${points} of ${of} points`;
const source_of = (pre) => pre.textContent.trimEnd();

// The lines among those of `sources` that import a name which occurs in `program`; a module that is not there is left out.
export function imports(sources, program) {
  const words = new Set(program.match(/\w+/g));
  const lines = new Set();
  for (const [line, names] of sources.join("\n").matchAll(IMPORT))
    if (
      names
        .replace(/#.*/g, "")
        .match(/\w+/g)
        ?.some((name) => words.has(name))
    )
      lines.add(line);
  return [...lines].map((line) => `try:\n    ${line}\nexcept ImportError:\n    pass`).join("\n");
}

// The lines that take away what a stub defines and the program does not: that of another cell is not to be judged. A
// name that the program only calls, or looks into, it does not define.
export function without(stub, program) {
  const code = program.replace(/#.*/g, "");
  const made = (name) => new RegExp(`\\b(?:def|class) +${name}\\b|\\b${name}\\b(?! *[(.[])`).test(code);
  return [...stub.matchAll(DEFINED)]
    .filter(([, name]) => !made(name))
    .map(([, name]) => `try:\n    del ${name}\nexcept NameError:\n    pass`)
    .join("\n");
}

// Ask before a solution opens whose exercise was not tried.
export function ask_first(solution) {
  const before = solution.previousElementSibling;
  if (before?.matches(".solution-first")) return before.querySelector("button").focus();
  const open = button("Open it all the same", () => {
    solution.open = true;
    asks.remove();
    solution.querySelector("summary").focus();
  });
  const asks = make(
    "p",
    { className: "cell-says solution-first" },
    "Try it first: change the code and press Check. ",
    open,
  );
  solution.before(asks);
  open.focus();
}
