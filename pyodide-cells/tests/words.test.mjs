import assert from "node:assert/strict";
import { test } from "node:test";

import { needs, time } from "../src/pyodide_cells/js/box.mjs";
import { imports, without } from "../src/pyodide_cells/js/exercises.mjs";
import { documented } from "../src/pyodide_cells/js/outputs.mjs";

test("an exercise gets the imports that it names, each guarded", () => {
  const cells = [
    "import numpy as np\nx = 1\nimport torch",
    "from attnlib import (\n    softmax,\n    houston,  # words\n)\nfrom attnlib import plots",
    "def f():\n    import inner\nimport numpy as np",
    '"""\nfrom left to right\n"""',
  ];
  const wanted = "def mine(x):\n    return softmax(np.ones(3)) + inner + left + words";
  assert.equal(
    imports(cells, wanted),
    "try:\n    import numpy as np\nexcept ImportError:\n    pass\n" +
      "try:\n    from attnlib import (\n    softmax,\n    houston,  # words\n)\nexcept ImportError:\n    pass",
  );
  assert.equal(imports(cells, "print(1)"), "");
});

test("what a stub defines and the program does not name is taken away", () => {
  const stub = "def one(x):\n    def inner():\n        pass\n\nclass Two:\n    ...";
  const gone = (name) => `try:\n    del ${name}\nexcept NameError:\n    pass`;
  assert.equal(without(stub, "one = max\nTwo = int"), "");
  assert.equal(without(stub, "def ome(x):\n    return x\n\nclass Two: ..."), gone("one"));
  assert.equal(without("def one(x):\n    ...\nprint(one(1))", "def ome(x): ...\nprint(one(1), one.x)"), gone("one"));
  assert.equal(without(stub, "# def one(x):"), `${gone("one")}\n${gone("Two")}`);
});

test("a module that does not run in a browser is named, with what is handed on", () => {
  const built = "This is what the cell gave when the book was built";
  assert.equal(
    needs({ needs: "torch", handed: true }, true),
    `torch does not run in this page. ${built}; the cells below use its results.`,
  );
  assert.equal(
    needs({ needs: "torch", handed: false }, false),
    `torch does not run in this page, so a changed cell cannot run here. ${built}.`,
  );
});

test("times are told as a reader counts", () => {
  assert.deepEqual([0.4, 12.3, 999, 1000, 61_240].map(time), ["0 ms", "12 ms", "999 ms", "1.0 s", "61.2 s"]);
});

test("a frame's document quotes what the page gives it, and lets nothing in from elsewhere", () => {
  const html = documented("<b>x</b>", ['/a"&<b.css'], 'dark" onload="x');
  assert.match(html, /href="\/a&quot;&amp;&lt;b\.css"/);
  assert.match(html, /data-theme="dark&quot; onload=&quot;x"/);
  assert.match(html, /default-src 'none'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:"/);
  assert.match(html, /<base target="_blank">/); // which the sandbox refuses: a link in an output leads nowhere
  assert.match(html, /<b>x<\/b>/);
});
