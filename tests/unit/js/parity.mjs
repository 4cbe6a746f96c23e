// Reads [[name, arguments], …] as JSON from standard input and writes what math.mjs returns.
import * as math from "../../../attnlib/widgets/math.mjs";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { exports, calls } = JSON.parse(text);
const answers = exports ? Object.keys(math) : calls.map(([name, values]) => math[name](...values.map(numbers)));
process.stdout.write(JSON.stringify(answers));

// JSON has no infinity: "-inf" stands for −∞, the one value beyond the finite that a score may have.
function numbers(value) {
  return Array.isArray(value) ? value.map(numbers) : value === "-inf" ? -Infinity : value;
}
