// Run in a page of the site: starts its widgets, shows one in a state, and takes what it shows as a picture.

// The questions are answered at the end of their chapter, so they are printed without a script.
const WIDGETS = "[data-widget]:not([data-widget='choice'], [data-widget='number_question'])";
const HELD = "details, .attn-controls, .attn-control, .attn-pointed, [hidden]";
const ACTIONS = /^(Hand me what is missing|Take it away again|[‹›])$/; // other buttons are parts of the picture
const TO_DO = /^(Press “|Change one matrix, )/; // what a widget says before anything was done
const ON_ITS_WAY = /This reading is on its way\./; // what is loaded when it is asked for
const SPOKEN = /^(aria-(?!pressed).*|role|tabindex|contenteditable|draggable|disabled)$/;

// Starts every widget, and says whether all have. A state may still be on its way.
function started() {
  dispatchEvent(new Event("beforeprint"));
  return [...document.querySelectorAll(WIDGETS)].every(({ dataset }) => dataset.widgetMounted);
}

const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// What the author left of the fields that a reader can change, with `changes`, as a link carries it.
function query_of(author, changes) {
  const names = Object.keys(author._bounds).filter((name) => author._bounds[name].link);
  const unknown = Object.keys(changes).filter((name) => !names.includes(name));
  if (unknown.length) throw new Error(`has no field ${unknown}, but ${names}`);
  return new URLSearchParams(names.map((name) => [name, JSON.stringify(changes[name] ?? author[name])]));
}

// The widget with the id, after `changes` and with the buttons of `press` pressed, as HTML without its controls. Throws when
// it refuses one of them.
async function pictured([id, { press = [], ...changes }]) {
  const home = document.getElementById(id);
  const author = JSON.parse(home.querySelector(":scope > script").textContent);
  const query = query_of(author, changes);
  const came = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  history.replaceState(null, "", "#");
  location.hash = `#${id}?${query}`;
  await came;
  let frames = 0;
  do {
    if (++frames > 3600) throw new Error("waits for what does not come"); // a minute at least
    await drawn();
  } while (ON_ITS_WAY.test(home.querySelector("figure").textContent));
  for (let rest = 0; rest < 3; rest++) await drawn(); // what follows from it is drawn frame by frame
  const shown = new URLSearchParams(home.querySelector(":scope > a[data-link]").hash.split("?")[1]);
  for (const [name, value] of Object.entries(changes))
    if (JSON.stringify(author[name]) !== JSON.stringify(value) && shown.get(name) !== JSON.stringify(value))
      throw new Error(`does not take ${name} = ${JSON.stringify(value)}`);
  for (const text of press) {
    const button = [...home.querySelectorAll("button")].find(({ textContent }) => textContent === text);
    if (!button) throw new Error(`has no button ${text}`);
    button.click();
    await drawn();
  }
  return still(home.querySelector("figure"));
}

// What a field of a table says: a menu its choice, a box whether it is ticked.
function value_of(field) {
  if (field.type === "checkbox") return field.checked ? "yes" : "no";
  if (field.type === "text") return field.value;
  if (field.localName === "input") return field.value.replace("-", "−");
  const chosen = field.selectedOptions[0]?.textContent ?? "";
  return chosen === "choose" ? "…" : chosen;
}

// A button centres what it says; what takes its place does so too.
function centred(button) {
  const { display, textAlign } = getComputedStyle(button);
  return display.endsWith("block")
    ? `; display: ${display}; box-sizing: border-box; text-align: ${textAlign}; align-content: center`
    : "";
}

// A copy that stands still: what is drawn in dots becomes a background, and nothing is left that could be pressed.
function still(figure) {
  const copy = figure.cloneNode(true);
  const drawings = copy.querySelectorAll("canvas");
  figure.querySelectorAll("canvas").forEach((canvas, at) => {
    const image = `url(${canvas.toDataURL()}) 0 0 / 100% 100%`;
    drawings[at].style.cssText += `; background: ${image}; image-rendering: pixelated; print-color-adjust: exact`;
  });
  const fields = [...figure.querySelectorAll("input, select")];
  copy.querySelectorAll("input, select").forEach((field, at) => {
    if (!field.closest(HELD)) field.replaceWith(` ${value_of(fields[at])} `); // several may stand side by side
  });
  const buttons = [...figure.querySelectorAll("button")];
  copy.querySelectorAll("button").forEach((button, at) => {
    button.style.cssText += centred(buttons[at]);
  });
  for (const node of copy.querySelectorAll(HELD)) node.remove();
  for (const node of copy.querySelectorAll("p, td")) if (TO_DO.test(node.textContent)) node.textContent = "";
  for (const button of copy.querySelectorAll("button")) {
    if (ACTIONS.test(button.textContent)) {
      button.remove();
      continue;
    }
    const part = document.createElement("span");
    for (const { name, value } of button.attributes) part.setAttribute(name, value);
    part.removeAttribute("type");
    part.append(...button.childNodes);
    button.replaceWith(part);
  }
  for (const node of copy.querySelectorAll("*"))
    for (const { name } of [...node.attributes])
      if (SPOKEN.test(name) && !(node.localName === "svg" && name === "aria-label")) node.removeAttribute(name);
  const markup = copy.outerHTML; // an id that only a form or a reader of screens needs would stand in every state
  for (const node of copy.querySelectorAll("[id]")) if (!markup.includes(`#${node.id}`)) node.removeAttribute("id");
  for (const drawing of copy.querySelectorAll("svg[aria-label]")) drawing.setAttribute("role", "img");
  return copy.outerHTML;
}

globalThis.paper = { WIDGETS, started, pictured };
