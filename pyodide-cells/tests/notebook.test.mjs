import assert from "node:assert/strict";
import { test } from "node:test";

import { changed } from "../src/pyodide_cells/js/notebook.mjs";

const code = (source) => ({ cell_type: "code", source });
const sources = (notebook) => notebook.cells.map(({ source }) => source);

test("what the reader changed stands in the notebook's own cells, by order", () => {
  const notebook = {
    nbformat: 4,
    cells: [code("install"), { cell_type: "markdown", source: "x" }, code("x"), code("x"), code(["y\n", "z"])],
  };
  const pieces = [
    { book: "x", mine: "x" },
    { book: "x\n", mine: "second" },
    { book: "y\nz", mine: "third" },
  ];
  assert.deepEqual(sources(changed(notebook, pieces)), ["install", "x", "x", "second", "third"]);
  assert.equal(changed(notebook, pieces).nbformat, 4);
});

test("what was changed and is not in the notebook comes at its end, as a cell that a notebook may hold", () => {
  const made = changed({ cells: [code("a")] }, [
    { book: "solution", mine: "mine" },
    { book: "unchanged solution", mine: "unchanged solution" },
    { book: "a", mine: "b" },
  ]);
  assert.deepEqual(sources(made), ["b", "mine"]);
  assert.deepEqual(Object.keys(made.cells[1]).sort(), [
    "cell_type",
    "execution_count",
    "id",
    "metadata",
    "outputs",
    "source",
  ]);
});

test("the notebook that was given is left as it is", () => {
  const notebook = { cells: [code("a")] };
  changed(notebook, [{ book: "a", mine: "b" }]);
  assert.deepEqual(sources(notebook), ["a"]);
});
