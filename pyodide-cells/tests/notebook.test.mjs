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

test("the notebook's own lines above the book's source stay above the reader's", () => {
  const pieces = [{ book: "print(1)", mine: "print(2)" }];
  const after = (...cells) => sources(changed({ cells: cells.map(code) }, pieces));
  for (const lines of ['# T\nafter_guess(1, "a-b")\n', 'after_guess(1, "a-b")\n', "after_guess()\n", "# T\n"])
    assert.deepEqual(after(`${lines}print(1)`, "last"), [`${lines}print(2)`, "last"]);
  for (const other of ["x = 1\nprint(1)", "# a\n# b\nprint(1)", "first()\nsecond()\nprint(1)", "pprint(1)"])
    assert.deepEqual(after(other, "last"), [other, "last", "print(2)"]);
  assert.deepEqual(after("# Another\nprint(1)", "print(1)"), ["# Another\nprint(1)", "print(2)"]);
});

test("the notebook that was given is left as it is", () => {
  const notebook = { cells: [code("a")] };
  changed(notebook, [{ book: "a", mine: "b" }]);
  assert.deepEqual(sources(notebook), ["a"]);
});
