// FillTable: a table to fill in, a menu for each cell, with a check that tells what is right and not what would be.

import * as answers from "./answers.mjs";
import * as ui from "./ui.mjs";
import { element, set } from "./ui.mjs";
import "./fill_table.css";

const OPEN = -1; // of a cell in which nothing is chosen
const MOST = 12; // options of a column
const ROLES = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", td: "cell" };
const ASKED = "choose in each cell, then check. A check says what is right.";

function build(model, figure) {
  const check = ui.button("Check", () => {
    const { open, all } = counts(model);
    if (!model.get("shown") && open < all) ui.change(model, "checked", model.get("chosen"));
  });
  const show = ui.button("Show the rest", () => ui.change(model, "shown", true));
  const [board, told] = [element("div"), ui.live("p.result")];
  figure.append(board, element("div.controls.judge", check, show), told);
  new ResizeObserver(() => fold(board)).observe(board);
  const scene_of = ui.memoize((rows, columns, options, given) =>
    draw_scene(model, board, rows, columns, options, given),
  );

  let judged = null; // what was judged last
  return () => {
    check_state(ui.values(model));
    const { title, provenance, rows, columns, options, given, chosen, checked, shown } = ui.values(model);
    figure.firstChild.textContent = `${title}: ${ASKED}${provenance && ` Numbers: ${provenance}.`}`;
    scene_of(rows, columns, options, given)();
    fold(board);
    const [now, then] = [counts(model, chosen), counts(model, shown ? chosen : checked)];
    const any = then.open < then.all;
    show.hidden = !shown && (then.open > 0 || then.right === then.all);
    set(check, { "aria-disabled": String(shown || now.open === now.all) });
    set(show, { "aria-disabled": String(shown) });
    const open = then.open ? `, ${then.open} open` : "";
    const rest = shown && then.right < then.all ? " The rest is shown." : "";
    if (checked !== judged) told.replaceChildren(); // it is said anew, even where as much is right
    judged = checked;
    ui.write(told, any || shown ? `${then.right} of ${then.all} right${open}.${rest}` : "");
  };
}

// A table where it fits, and otherwise a block for each row.
function fold(board) {
  board.classList.remove("attn-folded");
  board.classList.toggle("attn-folded", board.scrollWidth > board.clientWidth);
}

// Of the cells that are not given: how many are right, how many open, and how many there are.
function counts(model, cells = model.get("chosen")) {
  const { right, given } = ui.values(model);
  const asked = cells.flatMap((row, i) =>
    row.map((index, j) => [index, right[i][j]]).filter((_, j) => !has(given, i, j)),
  );
  const count = (test) => asked.filter(test).length;
  return { right: count(([a, b]) => a === b), open: count(([a]) => a === OPEN), all: asked.length };
}

const has = (given, i, j) => given.some(([row, column]) => row === i && column === j);

// The table with its menus; returns what fills it.
function draw_scene(model, board, rows, columns, options, given) {
  const put = (i, j, index) => {
    const { chosen } = ui.values(model);
    ui.change(model, "chosen", chosen.with(i, chosen[i].with(j, index)));
  };
  const cells = rows.map((_, i) =>
    columns.map((column, j) => {
      const menu = element("select", ...["choose", ...options[j]].map((text) => element("option", text)));
      menu.addEventListener("change", () => put(i, j, menu.selectedIndex + OPEN));
      const [text, mark] = [element("span", { dir: "auto" }), element("span.verdict")];
      const name = element("span.of", { "aria-hidden": "true" }, column);
      return { menu, text, mark, node: element("td.plain", name, menu, text, mark) };
    }),
  );
  const why = rows.map(() => element("td.plain", { colspan: columns.length }));
  const reasons = why.map((cell) => element("tr.why", element("th", { scope: "row" }, "why"), cell));
  const lines = rows.map((row, i) => [row, ...cells[i].map(({ node }) => node)]);
  const table = ui.table(["", ...columns], lines, ".fill");
  [...table.tBodies[0].rows].forEach((line, i) => line.after(reasons[i]));
  for (const node of [table, ...table.querySelectorAll("*")]) {
    const heads = node.scope === "row" ? "rowheader" : "columnheader"; // roles outlive another display
    const role = node.localName === "th" ? heads : ROLES[node.localName];
    if (role) set(node, { role });
  }
  board.replaceChildren(table);

  return () => {
    const { right, why: sentences, chosen, checked, shown } = ui.values(model);
    for (const [i, row] of cells.entries()) {
      let all = true;
      for (const [j, { menu, text, mark }] of row.entries()) {
        const [index, fixed] = [chosen[i][j], has(given, i, j)];
        const known = index !== OPEN && (shown || index === checked[i][j]);
        const is_right = index === right[i][j];
        all &&= fixed || (known && is_right);
        menu.selectedIndex = index - OPEN;
        menu.hidden = fixed || shown;
        ui.write(text, fixed || shown ? options[j][right[i][j]] : "");
        const verdict = known ? is_right : null;
        ui.write(mark, fixed ? "" : said(verdict, shown && options[j][index]));
        mark.className = `attn-verdict attn-${{ true: "right", false: "wrong" }[verdict] ?? "open"}`;
        const spoken = { true: ": right", false: ": not right" }[verdict] ?? "";
        set(menu, { "aria-label": `${rows[i]}, ${columns[j]}${spoken}` });
      }
      reasons[i].hidden = !(all || shown);
      why[i].replaceChildren(...(reasons[i].hidden ? [] : answers.marked(sentences[i])));
    }
  };
}

// The mark of a cell, and what stood there where the rest is shown.
function said(verdict, chosen) {
  if (verdict) return `${answers.mark(true)} right`;
  if (chosen) return `${answers.mark(false)} yours: ${chosen}`;
  return verdict === false ? `${answers.mark(false)} not right` : "";
}

// A link may bring cells that do not fit.
function check_state(state) {
  const { rows, columns, options, given } = state;
  check_length("options", options, columns, "columns");
  for (const [j, column] of columns.entries()) {
    const length = length_of(options[j]);
    if (length < 2 || length > MOST)
      throw new Error(`column '${column}' has ${length} options: 2 to ${MOST} are needed`);
  }
  for (const [name, least] of Object.entries({ right: 0, chosen: OPEN, checked: OPEN })) {
    check_length(name, state[name], rows, "rows");
    for (const [i, row] of rows.entries()) {
      check_length(`row '${row}' of ${name}`, state[name][i], columns, "columns");
      for (const [j, column] of columns.entries()) {
        const [index, last] = [state[name][i][j], options[j].length - 1];
        ui.check_range(`${name} of row '${row}', column '${column}':`, index, last, least);
      }
    }
  }
  check_length("why", state.why, rows, "rows");
  const wrong = given.findIndex((cell) => !(cell?.length === 2 && cell[0] in rows && cell[1] in columns));
  if (wrong >= 0) throw new Error(`given[${wrong}] is ${given[wrong]}, no row and column of the table`);
}

function check_length(what, list, names, kind) {
  const length = length_of(list);
  if (length !== names.length) throw new Error(`${what} has ${length} entries, for ${names.length} ${kind}`);
}

const length_of = (list) => (Array.isArray(list) ? list.length : 0);

export default ui.widget(build);
