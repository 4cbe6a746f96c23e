// Choice: choose an option, or put steps into order, and read what speaks for or against it.

import * as answers from "./answers.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";

const MOST = 12; // options

function build(model, figure) {
  const holder = element("div");
  const say = answers.frame(model, figure, holder);
  let scene = null; // rebuilt when the texts change

  return () => {
    const ordered = check(model);
    const texts = JSON.stringify([ordered, model.get("options")]);
    if (scene?.texts !== texts) {
      scene = (ordered ? steps : choices)(model);
      scene.texts = texts;
      holder.replaceChildren(...scene.nodes);
    }
    say(...scene.draw());
  };
}

// Whether steps are to be put into order. Raises for a state that makes no sense.
function check(model) {
  const { length } = model.get("options"),
    ordered = model.get("mode") === "order",
    answer = model.get("answer");
  ui.at_most("options", length, MOST);
  if (length < 2 || model.get("replies").length !== length)
    throw new Error(`${length} options and ${model.get("replies").length} replies`);
  const whole = (i) => Number.isInteger(i) && i >= 0 && i < length;
  const permutation = (order) =>
    Array.isArray(order) && order.length === length && new Set(order).size === length && order.every(whole);
  if (ordered && !permutation(model.get("order"))) throw new Error(`the order is not one of ${length} steps`);
  if (!ordered && !whole(model.get("right")))
    throw new Error(`option ${model.get("right")} of ${length} cannot be the right one`);
  if (answer !== null && !(ordered ? permutation : whole)(answer))
    throw new Error(`the answer is none of ${length} options`);
  return ordered;
}

function choices(model) {
  const marks = model.get("options").map(() => element("span.verdict", { "aria-hidden": "true" }));
  const buttons = model.get("options").map((text, i) => {
    const button = ui.button("", () => ui.change(model, "answer", i));
    button.append(element("span", { dir: "auto" }, ...answers.marked(text)), marks[i]);
    return button;
  });
  return {
    nodes: [element("ol.options", ...buttons.map((button) => element("li", button)))],
    draw() {
      const answer = model.get("answer"),
        right = answer === null ? null : answer === model.get("right");
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", i === answer);
        marks[i].textContent = answers.mark(i === answer ? right : null);
      });
      return [right, answer === null ? "" : model.get("replies")[answer], right ? model.get("reveal") : ""];
    },
  };
}

// The rows stay where they are and their texts change places, so that the focus and a finger keep their hold.
function steps(model) {
  const { length } = model.get("options");
  const list = element("ol.options.steps");
  const move = (from, to) => {
    if (to < 0 || to >= length) return;
    const order = [...model.get("order")];
    order.splice(to, 0, ...order.splice(from, 1));
    model.set("order", order);
    ui.change(model, "answer", null);
  };
  const rows = model.get("options").map((_, i) => {
    const text = element("span", { dir: "auto" }),
      mark = element("span.verdict", { "aria-hidden": "true" });
    const arrows = [
      ["Up", -1],
      ["Down", 1],
    ].map(([name, by], a) => ({
      name,
      to: i + by,
      node: ui.button(name, () => {
        move(i, i + by);
        (rows[i + by] ?? rows[i]).arrows[a].node.focus();
      }),
    }));
    const node = element(
      "li",
      element(
        "div.step",
        element("span.grip", { "aria-hidden": "true" }, "⠿"),
        text,
        mark,
        ...arrows.map((arrow) => arrow.node),
      ),
    );
    return { text, mark, arrows, node };
  });
  list.append(...rows.map((row) => row.node));

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
      const box = node.getBoundingClientRect();
      return i !== dragged && box.top + box.height / 2 < event.clientY;
    };
    const to = rows.filter(above).length;
    if (to === dragged) return;
    move(dragged, to);
    hold(to);
  });
  list.addEventListener("lostpointercapture", () => hold(null));

  return {
    nodes: [list, ui.button("Check the order", () => ui.change(model, "answer", model.get("order")))],
    draw() {
      const options = model.get("options"),
        order = model.get("order"),
        answer = model.get("answer");
      const wrong = answer?.findIndex((step, index) => step !== index); // the first one: all before it are right
      rows.forEach(({ text, mark, arrows }, i) => {
        text.replaceChildren(...answers.marked(options[order[i]]));
        mark.textContent = answers.mark(answer && (wrong < 0 || i <= wrong) ? i !== wrong : null);
        for (const { name, to, node } of arrows) {
          node.setAttribute("aria-label", `${name}: ${answers.plain(options[order[i]])}, step ${i + 1} of ${length}`);
          node.setAttribute("aria-disabled", to < 0 || to >= length);
        }
      });
      if (!answer) return [null, "", ""];
      const { ordered, early } = model.get("sentences");
      if (wrong < 0) return [true, ordered, model.get("reveal")];
      const [text, reply] = [options[answer[wrong]], model.get("replies")[answer[wrong]]];
      return [false, answers.fill(early, { step: wrong + 1, text, reply }), ""];
    },
  };
}

export default ui.widget(build);
