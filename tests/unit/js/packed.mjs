// Reads a recording as JSON, its bytes in base64, from standard input, and writes every grid as the page decodes it, and
// the arithmetic of the cell `at` of each head whose vectors are there.
import { arithmetic, open } from "../../../attnlib/widgets/packed.mjs";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { at, ...given } = JSON.parse(text);
const bytes = (base64) => new DataView(Uint8Array.from(Buffer.from(base64, "base64")).buffer);
const { data, biases } = given.vectors ?? {};
const vectors = data === undefined ? null : { ...given.vectors, data: bytes(data), biases: biases.map(bytes) };
const scored = Object.fromEntries(Object.entries(given.scores).map(([name, score]) => [name, bytes(score)]));
const parts = { small: bytes(given.small), heads: given.heads.map(bytes), scores: scored, vectors };
const recording = open({ ...given, ...parts });
const { num_layers, num_heads, scores } = recording;
const [grids, sums] = [[], []];
for (let layer = 0; layer < num_layers; layer++)
  for (let head = 0; head < num_heads; head++) {
    grids.push(Array.from((await recording.grid(layer, head)).cells));
    const pair = recording.pair(layer, head);
    if (pair)
      sums.push(
        Object.fromEntries(
          Object.entries(arithmetic(pair, recording, ...at)).map(([name, list]) => [
            name,
            typeof list === "number" ? list : Array.from(list),
          ]),
        ),
      );
  }
const small = Array.from(recording.small(0, 0).cells);
process.stdout.write(JSON.stringify({ grids, sums, small, scores }));
