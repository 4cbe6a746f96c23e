// Reads [[module, constant], …] as JSON from standard input and writes what the widgets' modules set them to.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const widgets = new URL("../../../attnlib/widgets/", import.meta.url);
const values = JSON.parse(readFileSync(0, "utf8")).map(([module, name]) => {
  const source = readFileSync(new URL(`${module}.mjs`, widgets), "utf8");
  const set = source.match(new RegExp(`^(?:export )?const ${name} = ([^]*?);(?: //.*)?$`, "m"));
  if (!set) throw new Error(`${module}.mjs sets no constant ${name}`);
  return vm.runInNewContext(`(${set[1]})`);
});
process.stdout.write(JSON.stringify(values));
