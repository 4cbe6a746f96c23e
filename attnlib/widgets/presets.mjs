// The size of a mask that is chosen by name: a slider, for the masks that have one.

import * as ui from "./ui.mjs";

const SIZES = { padding: "length", window: "width", prefix: "length" };

// `most()` is the largest size.
export function size_slider(model, most) {
  const { node, draw } = ui.slider(model, "size", "size", { step: 1, digits: 0 });
  const draw_size = () => {
    const label = SIZES[model.get("preset")];
    node.hidden = !label;
    node.firstChild.textContent = label ?? "";
    node.querySelector("input").max = most();
    draw();
  };
  return { node, draw: draw_size };
}
