// A plane to put vectors in: its axes, and handles that a finger, a mouse or the arrow keys move.

import * as math from "./math.mjs";
import { element, number, range, set } from "./ui.mjs";
import "./plane.css";

export const SIZE = 360; // the picture's side in its own units
export const REACH = 3; // handles stay within [−3, 3] × [−3, 3]
export const VIEW = 3.4; // and a little more is shown

export function to_picture([x, y]) {
  return [(SIZE / 2) * (1 + x / VIEW), (SIZE / 2) * (1 - y / VIEW)];
}

export function clamp(x) {
  return Math.max(-REACH, Math.min(REACH, Math.round(x * 100) / 100));
}

export function coordinates([x, y]) {
  return `(${number(x)}, ${number(y)})`;
}

// The line through points, for a path's `d`.
export function path(points) {
  return `M${points.map((point) => to_picture(point).join(" ")).join("L")}`;
}

export function picture(label) {
  return element("svg.plane", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
}

// The axes with their ticks.
export function axes() {
  const lines = [`M0 ${SIZE / 2}H${SIZE}`, `M${SIZE / 2} 0V${SIZE}`].map((d) => element("path.axis", { d }));
  const ticks = [-3, -2, -1, 1, 2, 3].flatMap((at) => {
    const [x, y] = to_picture([at, at]);
    return [
      element("text.tick", { x, y: SIZE / 2 + 12, "text-anchor": "middle" }, number(at, 0)),
      element("text.tick", { x: SIZE / 2 - 4, y: y + 3, "text-anchor": "end" }, number(at, 0)),
    ];
  });
  return [...lines, ...ticks];
}

// Show the convex hull of the points in a polygon.
export function draw_hull(polygon, points) {
  const corners = math.convex_hull(points).map((i) => to_picture(points[i]).join(","));
  set(polygon, { points: corners.join(" ") });
}

// The corners of the convex hull of points, but for those where another point stands.
export function lone_corners(points) {
  const alone = (i) => points.filter((point) => String(point) === String(points[i])).length === 1;
  return math.convex_hull(points).filter(alone);
}

// A line with a tip from beside one point to beside another, for a path's `d`.
export function arrow(from, to, gap = 11) {
  const [[x, y], [to_x, to_y]] = [from, to].map(to_picture);
  const length = Math.hypot(to_x - x, to_y - y);
  if (length < 2 * gap) return "";
  const [e, f] = [(to_x - x) / length, (to_y - y) / length]; // along the arrow
  const at = (forward, aside) => `${x + e * forward - f * aside} ${y + f * forward + e * aside}`;
  const [start, end] = [at(gap, 0), at(length - gap, 0)];
  return `M${start}L${end}M${at(length - gap - 8, 5)}L${end}L${at(length - gap - 8, -5)}`;
}

// The marks of what asks, a query, and of what is asked, a key.
export const TRIANGLE = "M0-12L11 8H-11Z";
export const SQUARE = "M-7-7H7V7H-7Z";

// A point that can be dragged, drawn as `mark`: `at()` tells where it is. The callbacks are `put(point)` with where it
// should go, `choose()` on focus, and `nudge(step)` for an arrow key, where a step in the plane is not what it should
// mean.
export function handle(picture, label, { at, put, choose = () => {}, ...given }) {
  const { nudge = (step) => put(at().map((x, c) => clamp(x + step[c]))), mark = element("circle", { r: 8 }) } = given;
  const marks = [element("circle.reach", { r: 20 }), mark, element("text", label)];
  const node = element("g.token", { tabindex: 0, role: "slider", "aria-label": label }, ...marks);
  set(node, { "aria-valuemin": -REACH, "aria-valuemax": REACH, "aria-orientation": "horizontal" });
  const pointed = ({ clientX, clientY }) => {
    const { left, top, width, height } = picture.getBoundingClientRect();
    return [((clientX - left) / width) * 2 * VIEW - VIEW, VIEW - ((clientY - top) / height) * 2 * VIEW];
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    node.setPointerCapture(event.pointerId);
    node.focus();
    event.preventDefault();
  });
  // A finger on a token drags it; beside the tokens it scrolls the page. (touch-action does nothing inside an SVG.)
  node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  node.addEventListener("pointermove", (event) => {
    if (node.hasPointerCapture(event.pointerId)) put(pointed(event).map(clamp));
  });
  node.addEventListener("focus", choose);
  node.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    nudge(direction.map((x) => x * (event.shiftKey ? 0.5 : 0.1)));
  });
  return node;
}

// Show a handle at a point, its name where it fits or where `name` says, and what it says where that is not the point;
// returns the picture's y.
export function move(node, point, selected, name = {}, said = {}) {
  const [x, y] = to_picture(point);
  const told = { "aria-valuenow": point[0], "aria-valuetext": coordinates(point), ...said };
  set(node, { transform: `translate(${x} ${y})`, ...told });
  node.classList.toggle("attn-selected", selected);
  set(node.lastChild, { "text-anchor": anchor(x, SIZE / 4), y: y < 30 ? 26 : -14, ...name });
  return y;
}

// Names above or below their points, outward where `above` does not say; where another stands, on the other side, or a
// line further.
const LINES = /* @__PURE__ */ Array.from({ length: 8 }, (_, k) => [-14 - 17 * k, 26 + 17 * k]);
const is_upper = (y) => y < SIZE / 2 + 20;

export function place_names(handles, points, above = is_upper) {
  const taken = [];
  points.forEach((point, i) => {
    const [x, y] = to_picture(point);
    const apart = ([u, v], at) => Math.abs(u - x) >= 70 || Math.abs(v - y - at) >= 17;
    const is_free = (at) => y + at > 16 && y + at < SIZE - 5 && taken.every((one) => apart(one, at));
    const order = LINES.flatMap(([up, down]) => (above(y, i) ? [up, down] : [down, up]));
    const at = order.find(is_free) ?? order[0];
    taken.push([x, y + at]);
    set(handles[i].lastChild, { y: at });
  });
}

// How a name stands to its point, so that it stays in the picture: `near` an edge it leads away from it.
export function anchor(x, near) {
  if (x > SIZE - near) return "end";
  return x < near ? "start" : "middle";
}

// Sliders for the length and the direction (degrees) of a vector: `at()` tells it, `put(vector)` is told where it goes.
export function polar(at, put) {
  const limits = { length: { min: 0, max: 4.2, step: 0.05 }, direction: { min: -180, max: 180, step: 1 } };
  const write = { length: number, direction: (degrees) => `${number(degrees, 0)}°` };
  const now = () => {
    const [x, y] = at();
    const length = Math.hypot(x, y);
    return { length, direction: length ? (Math.atan2(y, x) * 180) / Math.PI : last };
  };
  let last = 0; // a vector of length 0 has no direction: it keeps the last
  return (what) => {
    const { node, set } = range(what, limits[what], (value) => {
      const moved = { ...now(), [what]: value };
      if (what === "direction" || now().length) last = moved.direction;
      const ahead = [Math.cos, Math.sin].map((f) => f((last * Math.PI) / 180));
      const length = Math.min(moved.length, REACH / Math.max(...ahead.map(Math.abs))); // as far as this way leads
      put(ahead.map((x) => clamp(length * x)));
      set(now()[what], write[what](now()[what])); // at length 0 nothing changes that would be drawn
    });
    return { node, draw: () => set(now()[what], write[what](now()[what])) };
  };
}
