// How far, as a file: what this device keeps, saved and brought in. A notebook writes the same (exercises/progress.py).
(() => {
  "use strict";
  const FORMAT = "attention-book progress 1";
  const LARGEST = 1e6; // bytes; the whole book has some ten thousand
  const { store } = window;
  const { page } = document.documentElement.dataset;
  const contents = document.getElementById("contents");

  // The better of two results, each some points of all.
  const rank = ([some, of]) => some / of + of / 1e6;
  const better = (one, other) => (one && rank(one) >= rank(other) ? one : other);
  const further = (one, other) => (one?.read >= other.read ? one : other);
  const whole = Number.isInteger;
  const counted = (mine) => Array.isArray(mine) && mine.length === 2 && mine.every(whole) && mine[1] > 0;
  const each = (some) => Object.entries(some && typeof some === "object" ? some : {});

  function add(to, from, choose) {
    for (const [name, one] of each(from)) to[name] = choose(to[name], one);
    return to;
  }
  function kept() {
    const points = add({}, store.get("points"), better);
    for (const [, { points: mine }] of each(store.get("exercises"))) add(points, mine, better);
    return { points, pages: store.get("progress") ?? {} };
  }
  function parse(text) {
    const { format, points, pages } = JSON.parse(text) ?? {};
    const fit = ([, mine]) => counted(mine) && mine[0] >= 0 && mine[0] <= mine[1];
    const read = ([, one]) =>
      whole(one?.read) && whole(one.of) && [one.at, one.heading].every((s) => typeof s === "string");
    if (format !== FORMAT || !points || !pages || !each(points).every(fit) || !each(pages).every(read)) throw Error();
    return { points, pages };
  }

  // A page's points stand with the page. Which page has an exercise that a notebook has checked, that page knows.
  function place(pool) {
    const all = store.get("exercises") ?? {};
    const here = [...document.querySelectorAll("[data-exercise]")].map((box) => box.dataset.exercise);
    for (const name of new Set([page, ...Object.keys(all)])) {
      const before = all[name]?.points ?? {};
      const ids = name === page ? here : Object.keys(before);
      const brought = ids.filter((id) => pool[id]);
      if (!brought.length) continue;
      const points = { ...before };
      for (const id of brought) points[id] = better(points[id], pool[id]);
      const counted = name === page ? here : Object.keys(points); // an edition may have fewer exercises than are kept
      const done = counted.filter((id) => points[id] && points[id][0] === points[id][1]).length;
      all[name] = { done, of: name === page ? here.length : all[name].of, points };
    }
    store.set("exercises", all);
  }
  const pool = store.get("points");
  if (pool) place(pool);

  function button(says, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = says;
    made.addEventListener("click", action);
    return made;
  }
  const file = document.createElement("input");
  file.type = "file";
  file.accept = ".json,application/json";
  file.hidden = true;
  const said = document.createElement("span");
  said.role = "status";
  const save = button("Save progress", () => {
    const text = JSON.stringify({ format: FORMAT, ...kept() }, null, 1);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "progress.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // not every browser has read it by now
  });
  const bring = button("Bring in", () => file.click());
  bring.setAttribute("aria-label", "Bring in progress");
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    try {
      if (chosen.size > LARGEST) throw Error();
      const { points, pages } = parse(await chosen.text());
      const before = kept();
      const all = add(before.points, points, better);
      store.set("points", all);
      if (JSON.stringify(store.get("points")) !== JSON.stringify(all)) {
        said.textContent = "This browser keeps nothing, or has no room left: nothing was brought in.";
        return;
      }
      store.set("progress", add(before.pages, pages, further));
      place(all);
      location.reload(); // the marks beside the chapters are drawn when a page opens
    } catch {
      said.textContent = `${chosen.name} is no progress of this book; nothing was changed.`;
    }
  });
  const row = document.createElement("p");
  row.className = "contents-keep";
  row.append(save, " ", bring, file, said);
  contents.append(row);
})();
