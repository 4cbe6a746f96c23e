// The page's side of Python, with a worker that says what the test tells it to.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const built = await build({
  entryPoints: [folder("../src/pyodide_cells/js/python.mjs")],
  alias: { anywidget_static: folder("../../anywidget-static/src/anywidget_static/js") },
  bundle: true,
  format: "esm",
  write: false,
});
const { Python } = await import(`data:text/javascript,${encodeURIComponent(built.outputFiles[0].text)}`);

const CELLS = { cells: [{ source: "import torch", shown: true }] };
globalThis.navigator ??= {}; // Node 20 has none
let files, workers, answers;

class FakeWorker {
  asked = [];
  ended = false;
  constructor(url) {
    this.url = url;
    workers.push(this);
  }
  postMessage(message) {
    this.asked.push(message);
    const answer = answers[message.type]?.(message);
    if (answer) queueMicrotask(() => this.onmessage({ data: { call: message.call, ...answer } }));
  }
  terminate() {
    this.ended = true;
  }
  say(data) {
    this.onmessage({ data });
  }
}

beforeEach(() => {
  workers = [];
  files = { "manifest.json": { version: "1" }, "chapters-one.json": CELLS };
  answers = {
    start: () => ({ type: "done" }),
    run: ({ source }) => ({ type: "done", result: { status: "ok", ran: source } }),
  };
  globalThis.location = { href: "http://book/page.html", origin: "http://book" };
  globalThis.origin = "http://book";
  globalThis.document = { querySelectorAll: () => [] }; // nothing waits to be asked for
  globalThis.Worker = FakeWorker;
  globalThis.fetch = async (url) => {
    const file = files[url.split("/").at(-1)];
    if (file === "no network") throw new TypeError("Failed to fetch");
    return { ok: Boolean(file), json: async () => file };
  };
});

const python = () => new Python("_static/python/", "chapters/one");

test("a cell runs once Python has started, and is told what the book has there", async () => {
  const page = python();
  const states = [];
  page.addEventListener("state", () => states.push(page.state));
  assert.deepEqual(await page.run("a", "1 + 1"), { status: "ok", ran: "1 + 1" });
  assert.deepEqual(states, ["loading", "ready", "running", "ready"]);
  await page.run("b", "import torch, numpy", 0);
  assert.equal(workers.length, 1);
  const { original, page: address } = workers[0].asked.at(-1);
  assert.deepEqual([original, address], ["import torch", "http://book/_static/python/pages/chapters-one"]);
  assert.deepEqual([...page.ran], [0]);
});

test("a cell whose results were handed on counts as one that ran", async () => {
  const page = python();
  answers.run = () => ({ type: "done", result: { status: "needs", needs: "torch", handed: true } });
  await page.run("a", "import torch", 0);
  assert.deepEqual([...page.ran], [0]);
  answers.run = () => ({ type: "done", result: { status: "error" } });
  page.ran.clear();
  await page.run("a", "1 / 0", 0);
  assert.equal(page.ran.size, 0);
});

for (const [what, file, sentence] of [
  ["manifest.json", "no network", /there is no network/],
  ["manifest.json", undefined, /has no manifest.json/],
  ["chapters-one.json", undefined, /has no chapters-one.json/],
])
  test(`${file ?? "a site"} without ${what} is one sentence, and Python can be started again`, async () => {
    const page = python();
    const whole = files[what];
    files[what] = file;
    const ended = await page.run("a", "1");
    assert.equal(ended.status, "failed");
    assert.match(ended.message, sentence);
    assert.equal(page.state, "off");
    files[what] = whole;
    assert.equal((await page.run("a", "1")).status, "ok");
  });

test("a worker that cannot load says why, and the next run has a new one", async () => {
  const page = python();
  answers.start = () => ({ type: "failed", message: "numpy.whl is not the file" });
  assert.deepEqual(await page.run("a", "1"), { status: "failed", message: "numpy.whl is not the file" });
  answers.start = () => ({ type: "done" });
  assert.equal((await page.run("a", "1")).status, "ok");
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [true, false],
  );
});

test("stop ends the worker, and all that waits hears of it", async () => {
  const page = python();
  await page.run("a", "1", 0);
  answers.run = () => null; // runs for ever
  const runs = [page.run("b", "while True: pass"), page.run("c", "2")];
  await new Promise(setImmediate);
  assert.equal(page.state, "running");
  page.stop();
  assert.deepEqual(
    (await Promise.all(runs)).map(({ status }) => status),
    ["stopped", "stopped"],
  );
  assert.deepEqual([page.state, workers[0].ended, page.ran.size], ["off", true, 0]);
});

test("a worker that dies is told apart from one that was stopped", async () => {
  const page = python();
  await page.start();
  answers.run = () => ({ type: "died", message: "out of memory" });
  assert.deepEqual(await page.run("a", "1"), { status: "died", message: "out of memory" });
  assert.equal(page.state, "off");
});

test("what the worker says of its loading and of a cell's output goes to the page", async () => {
  const page = python();
  const heard = [];
  for (const type of ["progress", "output"]) page.addEventListener(type, ({ detail }) => heard.push([type, detail]));
  await page.start();
  workers[0].say({ type: "progress", loaded: 1, total: 2, what: "numpy" });
  workers[0].say({ type: "output", id: "a", output: { type: "stream", text: "1" } });
  assert.deepEqual(heard, [
    ["progress", { loaded: 1, total: 2, what: "numpy" }],
    ["output", { id: "a", output: { type: "stream", text: "1" } }],
  ]);
});

test("a widget of another library is refused in a sentence", async () => {
  const page = python();
  await page.start();
  workers[0].say({ type: "comm", kind: "comm_open", id: "m", data: { state: { _esm: "export default {}" } } });
  await assert.rejects(page.mount({}, "m"), /runs no script but the book's.*this one does in Jupyter/);
  await assert.rejects(page.mount({}, "unknown"), /runs no script but the book's.*this one does in Jupyter/);
});

test("a stop while Python is on its way ends that, and no worker comes of it", async () => {
  const page = python();
  let come;
  const native = globalThis.fetch;
  globalThis.fetch = (url) => (url.endsWith("manifest.json") ? new Promise((done) => (come = done)) : native(url));
  const run = page.run("a", "1");
  await new Promise(setImmediate);
  page.stop();
  assert.equal((await run).status, "stopped"); // though the file has not come
  come({ ok: true, json: async () => ({ version: "1" }) });
  await new Promise(setImmediate);
  assert.deepEqual([page.state, workers.length], ["off", 0]);
});

test("what a cell posts by hand, or throws later, harms nothing", async () => {
  const page = python();
  const heard = [];
  page.addEventListener("output", ({ detail }) => heard.push(detail));
  await page.start();
  for (const data of [null, undefined, {}, { type: "output", id: "a" }, { type: "nonsense" }]) workers[0].say(data);
  workers[0].onerror({ message: "Uncaught PythonError", preventDefault() {} });
  assert.deepEqual([heard, page.state, workers[0].ended], [[], "ready", false]);
});

test("bytes find no place in what all objects share", async () => {
  const page = python();
  await page.start();
  const paths = [
    ["__proto__", "shared"],
    ["constructor", "prototype", "shared"],
  ];
  const data = { state: {}, buffer_paths: paths };
  workers[0].say({ type: "comm", kind: "comm_open", id: "m", data, buffers: [new Uint8Array(1), new Uint8Array(1)] });
  assert.equal({}.shared, undefined);
});
