// What the puzzles share: a meter with its goal, and the button that hands over the control that is missing.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./puzzle.css";

export const percent = (share) => `${Math.round(100 * share)} %`;

// A bar that fills up to a goal, both shares of 1; its text says what is measured.
export function meter() {
  const node = element("div.meter", { "aria-hidden": "true" });
  const draw = (share, goal, text) => {
    node.style.setProperty("--w", Math.max(0, Math.min(1, share)).toFixed(4));
    node.style.setProperty("--goal", goal);
    ui.write(node, text);
  };
  return { node, draw };
}

// The button: `handed(model)` says whether the control is there; `hand` and `take` are what a press changes.
export function hand_over(model, { handed, hand, take }) {
  const node = ui.button("", () => ui.change(model, handed(model) ? take : hand));
  const draw = () => {
    ui.write(node, handed(model) ? "Take it away again" : "Hand me what is missing");
    node.setAttribute("aria-expanded", handed(model));
  };
  return { node, draw };
}
