// A chapter's notebook with what the reader has changed.

const text = (source) => (Array.isArray(source) ? source.join("") : source).trimEnd();

// The lines that a notebook may have above a source of the book: a comment, and a call such as after_guess(1, "name").
const ABOVE = /^(?:#.*\n)?(?:\w+\((?:\d+, "[^"\n]*")?\)\n)?$/;

// What a cell has above a source, or null where it does not end with that.
function above(cell, book) {
  const source = cell.cell_type === "code" ? text(cell.source) : null;
  return source?.endsWith(book) ? source.slice(0, source.length - book.length) : null;
}

// `pieces` are the page's sources, in order, each `{ book, mine }`. The notebook has some of them, in the same order, and
// cells of its own; what was changed and is not in it comes at its end.
export function changed(notebook, pieces) {
  const cells = notebook.cells.map((cell) => ({ ...cell }));
  let from = 0;
  for (const [number, { book, mine }] of pieces.entries()) {
    const lines = cells.map((cell, i) => (i < from ? null : above(cell, text(book))));
    const exact = lines.indexOf("");
    const found = exact >= 0 ? exact : lines.findIndex((one) => one !== null && ABOVE.test(one));
    if (found >= 0) from = found + 1;
    if (mine === book) continue;
    if (found >= 0) cells[found].source = lines[found] + mine;
    else cells.push(code(mine, `changed-${number}`));
  }
  return { ...notebook, cells };
}

const code = (source, id) => ({ cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source });
