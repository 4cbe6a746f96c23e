// The model of a page without Jupyter: events as in Backbone, on which anywidget's interface stands.
import assert from "node:assert/strict";
import test from "node:test";
import { Model, unpacked } from "../src/anywidget_static/js/model.mjs";

function heard(model, ...names) {
  const log = [];
  for (const name of names) model.on(name, (...values) => log.push([name, ...values.slice(1)]));
  return log;
}

test("set tells of each field, then of all, once every value is there", () => {
  const model = new Model({ a: 1, b: 2 });
  const log = heard(model, "change", "change:a", "change:b");
  model.on("change:a", () => assert.equal(model.get("b"), 4));
  model.set({ a: 3, b: 4 });
  assert.deepEqual(log, [["change:a", 3], ["change:b", 4], ["change"]]);
  model.set("a", 3);
  assert.equal(log.length, 3);
});

test("a list that holds other bytes is a change", () => {
  const view = (byte) => new DataView(Uint8Array.of(byte).buffer);
  const model = new Model({ rows: [{ data: view(1) }] });
  const log = heard(model, "change:rows");
  model.receive({ rows: [{ data: view(2) }] });
  assert.equal(log.length, 1);
  assert.equal(model.get("rows")[0].data.getUint8(0), 2);
});

test("a list that holds what the old one held is no change", () => {
  const model = new Model({ rows: [{ a: [1, null] }] });
  const log = heard(model, "change:rows");
  model.receive({ rows: [{ a: [1, null] }] });
  assert.equal(log.length, 0);
});

test("the first value that a listener hears of is the model", () => {
  const model = new Model({ a: 1 });
  const seen = [];
  model.on("change:a change", (first) => seen.push(first));
  model.set("a", 2);
  assert.deepEqual(seen, [model, model]);
});

const GONE = {
  "a callback": (model, { one }) => model.off("change:a", one),
  "a context": (model, { mine }) => model.off("change:a", null, mine),
  "a name": (model) => model.off("change:a"),
  "two names": (model) => model.off("change:a change"),
  everything: (model) => model.off(),
};
const LEFT = {
  "a callback": ["two", "all"],
  "a context": ["two", "all"],
  "a name": ["all"],
  "two names": [],
  everything: [],
};

for (const [what, off] of Object.entries(GONE))
  test(`off forgets ${what}`, () => {
    const model = new Model({ a: 1 });
    const log = [];
    const mine = {};
    const one = () => log.push("one");
    model.on("change:a", one, mine);
    model.on("change:a", () => log.push("two"));
    model.on("change", () => log.push("all"));
    off(model, { one, mine });
    model.set("a", 2);
    assert.deepEqual(log, LEFT[what]);
  });

test("a listener that goes while others are told does not keep them from hearing", () => {
  const model = new Model({ a: 1 });
  const log = [];
  const once = () => {
    log.push("once");
    model.off("change:a", once);
  };
  model.on("change:a", once);
  model.on("change:a", () => log.push("always"));
  model.set("a", 2);
  model.set("a", 3);
  assert.deepEqual(log, ["once", "always", "always"]);
});

test("save_changes sends what was set since the last time, and not what came from there", () => {
  const saved = [];
  const model = new Model({ a: 1, b: 1 }, { save: (changes) => saved.push(changes) });
  model.set("a", 2);
  model.set({ b: 3 });
  model.receive({ a: 5 });
  model.save_changes();
  model.save_changes();
  assert.deepEqual(saved[0], { a: 2, b: 3 });
  assert.deepEqual(Object.assign({}, ...saved.slice(1)), {});
});

test("a custom message goes to the back end, and one from there to whoever listens", () => {
  const sent = [];
  const model = new Model({}, { send: (...all) => sent.push(all) });
  const log = heard(model, "msg:custom");
  model.send({ ask: 1 }, undefined, [new ArrayBuffer(1)]);
  model.emit("msg:custom", { answer: 2 }, []);
  assert.deepEqual(sent, [[{ ask: 1 }, [new ArrayBuffer(1)]]]);
  assert.deepEqual(log, [["msg:custom", []]]);
});

test("of a package's widget the texts are JSON, and a module has the values", () => {
  const saved = [];
  const inner = new Model({ x: "[1,2]", n: 3, _module: "plain" }, { save: (changes) => saved.push(changes) });
  const model = unpacked(inner);
  assert.deepEqual([model.get("x"), model.get("n"), model.get("_module")], [[1, 2], 3, "plain"]);
  assert.equal(model.get("x"), model.get("x"));
  const log = heard(model, "change:x");
  model.set({ x: [5], n: 4, s: "a" });
  model.set("b", null);
  model.save_changes();
  assert.deepEqual(saved, [{ x: "[5]", n: 4, s: '"a"', b: null }]);
  assert.deepEqual([model.get("x"), log.length], [[5], 1]);
});

test("of a package's widget a hidden field is no JSON, and bytes stay bytes", () => {
  const saved = [];
  const inner = new Model(
    { _mode: "dark", tooltip: "a tip", _bounds: "{}" },
    { save: (changes) => saved.push(changes) },
  );
  const model = unpacked(inner);
  assert.deepEqual([model.get("_mode"), model.get("tooltip"), model.get("_bounds")], ["dark", "a tip", {}]);
  const data = new DataView(Uint8Array.of(7).buffer);
  model.set({ data, _mode: "light" });
  model.save_changes();
  assert.deepEqual([saved[0].data, saved[0]._mode], [data, "light"]);
});
