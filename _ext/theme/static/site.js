// What every page does beyond showing itself: colours, the place you are at, and how far you have read.
// All of it stays in this browser. A page without this script loses only that.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = root.dataset.page;
  const { store } = window;

  // Colours: the system's, or the other ones.
  const button = document.getElementById("colours");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const name = () => button.setAttribute("aria-label", `Colours: ${shown()}. Switch`);
  button.addEventListener("click", () => {
    const next = shown() === "dark" ? "light" : "dark";
    const own = (next === "dark") !== system.matches;
    if (own) root.dataset.theme = next;
    else delete root.dataset.theme;
    store.set("colours", own ? next : null);
    name();
  });
  system.addEventListener("change", name);
  name();

  // A link within the page needs every section laid out, before the browser follows it.
  const whole = () => root.classList.add("whole");
  addEventListener("click", (event) => event.target.closest?.("a[href*='#']") && whole(), true);
  function goTo() {
    let to;
    try {
      to = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return; // a stray %
    }
    const box = to?.closest(".withheld");
    const waits = box?.lastElementChild.hidden;
    reveal(box);
    if (root.classList.contains("whole") && !waits) return;
    whole(); // typed into the address
    to?.scrollIntoView();
  }
  addEventListener("hashchange", goTo);

  // What follows a question waits for a guess (withheld.py), or for who asks to see it, here or always.
  const GUESSED = `guessed:${page}`;
  const guessed = () => [store.get(GUESSED)].flat().filter((id) => typeof id === "string");
  function closed() {
    const open = guessed();
    return [...document.querySelectorAll(".withheld")].filter((box) => !open.includes(box.dataset.question));
  }
  const behind = (id) => document.querySelector(`[data-question="${CSS.escape(id)}"]`);
  function reveal(box) {
    if (!box) return;
    box.lastElementChild.hidden = false;
    const { question } = box.dataset;
    if (!guessed().includes(question)) store.set(GUESSED, [...guessed(), question]);
  }
  const showing = document.createElement("button");
  showing.type = "button";
  function show(all) {
    root.classList.toggle("shows-answers", all);
    for (const box of closed()) box.lastElementChild.hidden = all ? false : "until-found";
    showing.textContent = all ? "Let answers wait for a guess" : "Show all answers";
  }
  function choose(all) {
    show(all);
    store.set("answers", all ? "shown" : null);
  }
  const always = () => root.classList.contains("shows-answers");
  showing.addEventListener("click", () => choose(!always()));
  addEventListener("guess", ({ target }) => {
    const asked = target.closest("[data-widget]"); // none for what Python in the page has shown
    if (asked) reveal(behind(asked.id));
  });
  addEventListener("beforematch", ({ target }) => reveal(target.closest(".withheld")));
  addEventListener("click", ({ target }) => {
    const button = target.closest?.(".withheld-door button");
    if (!button) return;
    const box = button.closest(".withheld");
    if ("always" in button.dataset) choose(true);
    else reveal(box);
    const text = box.lastElementChild;
    text.tabIndex = -1; // the button is gone, and the keyboard goes on where it was
    text.addEventListener("blur", () => text.removeAttribute("tabindex"), { once: true });
    text.focus({ preventScroll: true });
    if ("always" in button.dataset) box.scrollIntoView({ block: "nearest" }); // what is above it has opened, too
  });
  // What a search opened before this script came.
  for (const box of closed()) if (!box.lastElementChild.hidden) reveal(box);
  guessed().map(behind).forEach(reveal);
  show(always());
  if (location.hash) goTo();

  // A place in a section that is out of view is not laid out yet, and asking where it lies would do it at once.
  const laidOut = (element) => element.checkVisibility({ contentVisibilityAuto: true });
  const above = (line) => (element) => laidOut(element) && element.getBoundingClientRect().top < line;

  // The place: the last heading above the upper third of the window. The contents link to every one, in order.
  const contents = document.getElementById("contents");
  contents.querySelector(".contents-keep")?.append(" ", showing);
  const links = [...contents.querySelectorAll("a[href^='#']:not([href='#main'])")];
  const sections = links.map((link) => document.getElementById(link.hash.slice(1)));
  const place = document.getElementById("place"),
    bar = document.querySelector(".bar");
  const anchors = [...document.querySelectorAll("main [id]:not(pre, svg *)")];
  const progress = store.get("progress") ?? {};
  let here = -1,
    resting;
  let furthest = progress[page]?.read ?? 0;

  function follow() {
    const line = innerHeight / 3;
    const atEnd = scrollY + innerHeight >= root.scrollHeight - 4;
    const now = atEnd ? sections.length - 1 : sections.findLastIndex(above(line));
    bar.style.setProperty("--read", `${Math.min(1, scrollY / Math.max(1, root.scrollHeight - innerHeight)) * 100}%`);
    if (now !== here) {
      links[here]?.removeAttribute("aria-current");
      links[now]?.setAttribute("aria-current", "location");
      place.textContent = links[now]?.textContent ?? "";
      here = now;
    }
    clearTimeout(resting);
    resting = setTimeout(keep, 150, line);
  }
  function keep(line) {
    if (here < 0) return;
    furthest = Math.max(furthest, here + 1, store.get("progress")?.[page]?.read ?? 0); // or was brought in
    const at = anchors.findLast(above(line)) ?? sections[here];
    const mine = { read: furthest, of: sections.length, at: at.id, heading: links[here].textContent };
    store.set("progress", { ...store.get("progress"), [page]: mine }); // another page may have written meanwhile
    store.set("last", page);
  }
  if (sections.length && page !== "index") {
    addEventListener("scroll", follow); // at most once in a frame
    addEventListener("pagehide", () => keep(innerHeight / 3));
    requestAnimationFrame(follow);
  }

  // How far: beside every chapter in a list of contents, and on the landing page the way back.
  const exercises = store.get("exercises") ?? {}; // the programs of each chapter that Python has checked in its page
  const known = (link) => Object.keys(progress).find((name) => link.pathname.endsWith(`/${name}.html`));
  for (const link of document.querySelectorAll(".contents ol > li > a, .toctree-l1 > a")) {
    const found = progress[link.ariaCurrent ? page : known(link)];
    if (!found) continue;
    const mark = document.createElement("span");
    mark.className = "progress";
    mark.textContent = found.read >= found.of ? "read" : `${found.read} of ${found.of} sections`;
    const programs = exercises[link.ariaCurrent ? page : known(link)];
    if (programs?.done) mark.textContent += `, ${programs.done} of ${programs.of} programs`;
    link.after(" ", mark);
  }
  const last = store.get("last");
  const way = [...contents.querySelectorAll("a")].find((link) => link.pathname.endsWith(`/${last}.html`));
  if (way && progress[last]) {
    const back = document.createElement("a");
    back.href = `${way.href}#${progress[last].at}`;
    back.textContent = `Go on at “${progress[last].heading}”`;
    document.querySelector(".actions")?.append(back);
  }

  // What scrolls by itself can be reached by the keyboard, and only while it does.
  const boxes = [...document.querySelectorAll("pre, div.math, .text_html")];
  const reach = (some) => {
    const scrolls = some.map((box) => box.scrollWidth > box.clientWidth); // all read before one is written
    some.forEach((box, i) => (scrolls[i] ? box.setAttribute("tabindex", 0) : box.removeAttribute("tabindex")));
  };
  const watched = new ResizeObserver((entries) => reach(entries.map((entry) => entry.target)));
  boxes.forEach((box) => watched.observe(box));
  document.fonts.ready.then(() => reach(boxes.filter(laidOut))); // a typeface that comes changes widths inside the box

  // The first seconds belong to what is seen, where widgets start. Once the reader moves, or after them, the figures
  // below come, since the connection may be gone when the reader gets there; and the sections below are laid out, one
  // whenever the machine rests: the page is as long as it says.
  const atRest = window.requestIdleCallback
    ? (act) => requestIdleCallback(act, { timeout: 250 }) // without a frame to draw, rest may never be told
    : (act) => setTimeout(act, 50);
  const unseen = [
    ...document.querySelectorAll("main > section > section, main > section > section > :is(section, dl)"),
  ];
  function layOut() {
    const section = unseen.shift();
    if (!section) return;
    section.style.contentVisibility = "visible";
    section.getBoundingClientRect(); // laid out now: a rest may hear several calls, and its frame would lay out all
    atRest(layOut);
  }
  const moves = ["scroll", "pointerdown", "keydown"];
  function bringTheRest() {
    clearTimeout(waiting);
    for (const kind of moves) removeEventListener(kind, bringTheRest);
    for (const image of document.querySelectorAll("img[loading=lazy]")) image.loading = "eager";
    atRest(layOut);
  }
  const waiting = setTimeout(bringTheRest, 10_000);
  for (const kind of moves) addEventListener(kind, bringTheRest, { passive: true });

  // Python in the page: nothing of it comes before a click on a cell, or on a solution whose program was not tried.
  const { python } = root.dataset;
  const FOLDER =
    "Python does not run in a page opened from a folder: run `make serve`, or read the book on its website.";
  const LOST = "Python could not be loaded. Is there a connection? Another click tries again.";
  const CODE = ".cell-run, .cell_input pre, [data-stub] pre";
  const ACTS = `${CODE}, .solution:not([open]) > summary`;
  let tries = 0;
  function untried(solution) {
    let before = solution.previousElementSibling;
    while (before?.matches("details, .solution-first")) before = before.previousElementSibling;
    return before?.matches("[data-exercise]:not([data-tried])");
  }
  function say(target, sentence) {
    const said = document.querySelector(".python-says") ?? document.createElement("p");
    said.className = "cell-says python-says";
    said.role = "alert";
    target.after(said);
    said.textContent = sentence;
  }
  async function act(event) {
    const target = event.target.closest?.(ACTS);
    if (!target) return;
    const { parentElement } = target;
    let how = target.matches("pre") ? "edit" : "run";
    if (target.matches("summary")) how = "solution";
    if (how === "solution" && !untried(parentElement)) return;
    if (how === "edit" && (getSelection().type === "Range" || location.protocol === "file:")) return;
    event.preventDefault();
    try {
      if (location.protocol === "file:") throw new Error(FOLDER);
      const url = new URL(`${python}cells.js${tries ? `?${tries}` : ""}`, location);
      const cells = await import(url).catch(() => {
        tries++; // a browser may remember that an address has failed
        throw new Error(LOST);
      });
      document.querySelector(".python-says")?.remove();
      await cells.default({ root: document, target, how, x: event.clientX, y: event.clientY });
    } catch (error) {
      if (how === "solution") parentElement.open = true;
      else say(parentElement, error.message);
    }
  }
  if (python !== undefined) {
    addEventListener("click", act);
    for (const box of document.querySelectorAll(".cell[data-cell], [data-exercise]")) {
      const { cell, exercise } = box.dataset;
      if (store.get(`code:${page}#${cell ?? `ex-${exercise}`}`)) box.classList.add("kept");
      if (exercises[page]?.points?.[exercise]) box.dataset.tried = "";
    }
  }

  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable], [role=slider], [role=gridcell]")) return;
    const field = document.querySelector("main input[type=search], .bar-search input");
    event.preventDefault();
    if (field.checkVisibility()) field.focus();
    else document.querySelector(".bar-search-link").click();
  });

  // What was pressed when nobody here could hear it, each thing once.
  const heard = [".withheld-door button", ...(python === undefined ? [] : [CODE])].join();
  const pressed = new Set(window.presses?.map((target) => target.closest?.(heard)));
  window.presses = null;
  for (const target of pressed) target?.click();
})();
