// Choice: choose an option, or put steps into order, and read what speaks for or against it.

import * as answers from "./answers.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./choice.css";

const MOST = 12; // options

function build(model, figure) {
  const holder = element("div");
  const say = answers.frame(model, figure, holder);
  const scene_of = ui.memoize((mode, options) => {
    const scene = (mode === "order" ? steps : choices)(model, options);
    holder.replaceChildren(...scene.nodes);
    return scene;
  });
  return () => {
    check(ui.values(model));
    say(...scene_of(model.get("mode"), model.get("options")).draw());
  };
}

// A link may bring an order, or an answer, that does not fit the options.
function check({ options, mode, right, order, answer }) {
  const { length } = options;
  if (length < 2 || length > MOST) throw new Error(`2 to ${MOST} options are needed, got ${length}`);
  const index = (given) => Number.isInteger(given) && given in options;
  const permutation = (given) =>
    Array.isArray(given) && given.length === length && given.every(index) && new Set(given).size === length;
  const [fits, first] = mode === "order" ? [permutation, order] : [index, right];
  for (const given of [first, answer ?? first])
    if (!fits(given)) throw new Error(`${given} is no ${mode} of ${length} options`);
}

function verdict_mark() {
  return element("span.verdict", { "aria-hidden": "true" });
}

function choices(model, options) {
  const marks = options.map(verdict_mark);
  const buttons = options.map(([text], i) => {
    const button = ui.button("", () => ui.change(model, "answer", i));
    button.append(element("span", { dir: "auto" }, ...answers.marked(text)), marks[i]);
    return button;
  });
  return {
    nodes: [element("ol.options", ...buttons.map((button) => element("li", button)))],
    draw() {
      const { answer, right, reveal } = ui.values(model);
      const verdict = answer === null ? null : answer === right;
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", i === answer);
        marks[i].textContent = answers.mark(i === answer ? verdict : null);
      });
      return [verdict, options[answer]?.[1] ?? "", verdict ? reveal : "", answer ?? ""];
    },
  };
}

// The rows stay where they are and their texts change places, so that the focus and a finger keep their hold.
function steps(model, options) {
  const { length } = options;
  const shown = () => model.get("answer") ?? model.get("order"); // Python, or a link, may bring an answer alone
  const move = (from, to) => {
    if (to < 0 || to >= length) return;
    const order = [...shown()];
    order.splice(to, 0, ...order.splice(from, 1));
    ui.change(model, { order, answer: null });
  };
  const rows = options.map((_, i) => {
    const [text, mark] = [element("span", { dir: "auto" }), verdict_mark()];
    const arrows = Object.entries({ Up: -1, Down: 1 }).map(([name, by], a) => {
      const press = () => {
        move(i, i + by);
        (rows[i + by] ?? rows[i]).arrows[a].node.focus();
      };
      return { name, to: i + by, node: ui.button(name, press) };
    });
    const grip = element("span.grip", { "aria-hidden": "true" }, "⠿");
    const step = element("div.step", grip, text, mark, ...arrows.map(({ node }) => node));
    return { text, mark, arrows, node: element("li", step) };
  });
  const list = element("ol.options.steps", ...rows.map(({ node }) => node));

  let dragged = null;
  const hold = (i) => {
    rows.forEach((row, r) => row.node.classList.toggle("attn-dragged", r === i));
    dragged = i;
  };
  list.addEventListener("pointerdown", (event) => {
    const free = event.pointerType === "mouse" || event.target.closest(".attn-grip"); // elsewhere a finger scrolls
    if (event.button || !free || event.target.closest("button") || event.target === list) return;
    event.preventDefault();
    list.setPointerCapture(event.pointerId);
    hold(rows.findIndex((row) => row.node.contains(event.target)));
  });
  list.addEventListener("pointermove", (event) => {
    if (dragged === null) return;
    const above = ({ node }, i) => {
      const { top, bottom } = node.getBoundingClientRect();
      return i !== dragged && (top + bottom) / 2 < event.clientY;
    };
    const to = rows.filter(above).length;
    if (to === dragged) return;
    move(dragged, to);
    hold(to);
  });
  list.addEventListener("lostpointercapture", () => hold(null));

  return {
    nodes: [list, ui.button("Check the order", () => ui.change(model, "answer", shown()))],
    draw() {
      const { answer, sentences, reveal } = ui.values(model);
      const order = shown();
      const wrong = answer?.findIndex((step, index) => step !== index); // the first one: all before it are right
      rows.forEach(({ text, mark, arrows }, i) => {
        const [words] = options[order[i]];
        text.replaceChildren(...answers.marked(words));
        mark.textContent = answers.mark(answer && (wrong < 0 || i <= wrong) ? i !== wrong : null);
        for (const { name, to, node } of arrows) {
          node.setAttribute("aria-label", `${name}: ${answers.plain(words)}, step ${i + 1} of ${length}`);
          node.setAttribute("aria-disabled", to < 0 || to >= length);
        }
      });
      if (!answer) return [null, "", ""];
      if (wrong < 0) return [true, sentences.ordered, reveal];
      const [text, reply] = options[answer[wrong]];
      return [false, answers.fill(sentences.early, { step: wrong + 1, text, reply }), ""];
    },
  };
}

export default ui.widget(build);
