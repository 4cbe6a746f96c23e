// What the reader chose and read, kept on this device: all that is lost where storage is switched off.
window.store = {
  get(name) {
    try {
      return JSON.parse(localStorage.getItem(`attention-book:${name}`));
    } catch {
      return null; // switched off, or not ours
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`attention-book:${name}`);
      else localStorage.setItem(`attention-book:${name}`, JSON.stringify(value));
    } catch {
      /* switched off */
    }
  },
};
// Before anything is drawn: the colours that the reader chose. Without a choice CSS follows the system.
const chosen = window.store.get("colours");
if (chosen) document.documentElement.dataset.theme = chosen;
document.documentElement.classList.add("has-script");
// Opened at a place in it, or once more, a page is laid out whole (page.css), for that place to be right.
if (location.hash || performance.getEntriesByType("navigation")[0]?.type !== "navigate")
  document.documentElement.classList.add("whole");
// What follows a question waits for a guess (withheld.py): not here where one was made, nor for who wants all shown.
// Who comes from the search in a browser that finds nothing in what is hidden sees all.
const fromSearch = !("onbeforematch" in window) && /\/search\.html(\?|$)/.test(document.referrer);
if (window.store.get("answers") === "shown" || fromSearch) document.documentElement.classList.add("shows-answers");
const guessed = [window.store.get(`guessed:${document.documentElement.dataset.page}`)].flat();
const boxes = guessed.filter((id) => typeof id === "string").map((id) => `[data-question="${CSS.escape(id)}"]`);
if (boxes.length && "adoptedStyleSheets" in document) {
  const open = new CSSStyleSheet();
  const shown = "> [hidden] { display: block; content-visibility: visible }";
  open.replaceSync(`:is(${boxes.join()}) { ${shown} > .withheld-door { display: none } }`);
  document.adoptedStyleSheets.push(open);
}
// The page's other scripts, in their order, once it was painted: until then they would share the network with what is
// seen.
addEventListener("DOMContentLoaded", () => {
  const scripts = document.getElementById("scripts");
  if (!scripts) return;
  const start = () => {
    const all = [...scripts.content.children];
    for (const script of all) script.async = false;
    for (const end of ["load", "error"]) all.at(-1).addEventListener(end, () => scripts.remove());
    const lost = () => document.documentElement.classList.remove("has-script"); // nothing waits for who cannot come
    for (const script of all) if (script.src.includes("/site.js")) script.addEventListener("error", lost);
    document.head.append(scripts.content);
  };
  if (document.hidden) start();
  else requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start))); // the first was shown
});
// A press belongs to the button on which it began, though the page moved under it: a widget above it came to life.
let held = null;
addEventListener("pointerdown", (event) => (held = event.isPrimary && event.button === 0 ? event : null), true);
addEventListener(
  "click",
  (event) => {
    if (!event.isTrusted || !held) return;
    const button = held.target.closest?.("button, summary, a[href]");
    const rested = Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY) < 4;
    held = null;
    if (!rested || !button?.isConnected || button.contains(event.target)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    button.click();
  },
  true,
);
// What is pressed before they come is not lost: site.js repeats it.
window.presses = [];
addEventListener("click", ({ target }) => window.presses?.push(target));
// The book's typefaces, asked for with the page's style and not after it; in a folder a style asks without an origin.
// The first page on a phone shows in the machine's own, which paints sooner on a slow network, and fetches the book's
// when it is whole.
const fetched = window.store.get("typefaces");
if (fetched || matchMedia("(width >= 48rem)").matches) {
  document.documentElement.classList.add("typefaces");
  for (const name of document.documentElement.dataset.typefaces?.split(" ") ?? []) {
    const href = new URL(`fonts/${name}.woff2`, document.currentScript.src).href;
    const crossOrigin = location.protocol === "file:" ? null : "anonymous";
    const link = { rel: "preload", as: "font", type: "font/woff2", crossOrigin, href };
    document.head.append(Object.assign(document.createElement("link"), link));
  }
}
if (!fetched)
  addEventListener("load", async () => {
    const faces = [...document.fonts].filter(({ family }) => /^"?Book /.test(family));
    const all = await Promise.allSettled(faces.map((face) => face.load()));
    if (all.every(({ status }) => status === "fulfilled")) window.store.set("typefaces", true);
  });
