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
// The page's typefaces, with its style and not after it. In a folder a style asks for them without an origin.
for (const name of document.documentElement.dataset.typefaces?.split(" ") ?? []) {
  const href = new URL(`fonts/${name}.woff2`, document.currentScript.src).href;
  const crossOrigin = location.protocol === "file:" ? null : "anonymous";
  const link = { rel: "preload", as: "font", type: "font/woff2", crossOrigin, href };
  document.head.append(Object.assign(document.createElement("link"), link));
}
