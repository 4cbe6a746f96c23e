// A chapter's notebook with what the reader has changed.

const text = (source) => (Array.isArray(source) ? source.join("") : source).trimEnd();

// `pieces` are the page's sources, in order, each `{ book, mine }`. The notebook has some of them, in the same order, and
// cells of its own; what was changed and is not in it comes at its end.
export function changed(notebook, pieces) {
  const cells = notebook.cells.map((cell) => ({ ...cell }));
  let from = 0;
  for (const [number, { book, mine }] of pieces.entries()) {
    const found = cells.findIndex(
      (cell, i) => i >= from && cell.cell_type === "code" && text(cell.source) === text(book),
    );
    if (found >= 0) from = found + 1;
    if (mine === book) continue;
    if (found >= 0) cells[found].source = mine;
    else cells.push(code(mine, `changed-${number}`));
  }
  return { ...notebook, cells };
}

const code = (source, id) => ({ cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source });
