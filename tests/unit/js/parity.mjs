// Reads { exports } or { calls: [[name, arguments], …] } as JSON from standard input and writes what the page's
// mathematics has or returns.
import * as cost from "../../../attnlib/widgets/cost.mjs";
import * as decoder from "../../../attnlib/widgets/decoder.mjs";
import * as lab from "../../../attnlib/widgets/lab.mjs";
import * as math from "../../../attnlib/widgets/math.mjs";

const functions = { ...math, ...cost, ...decoder, ...lab };
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { exports, calls } = JSON.parse(text);
const answers = exports
  ? Object.keys(functions)
  : calls.map(([name, values]) => functions[name](...values.map(numbers)));
process.stdout.write(JSON.stringify(answers));

// JSON has no infinity: "-inf" stands for −∞, the one value beyond the finite that a score may have.
function numbers(value) {
  if (Array.isArray(value)) return value.map(numbers);
  return value === "-inf" ? -Infinity : value;
}
