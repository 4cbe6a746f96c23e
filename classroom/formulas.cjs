// Formulas from stdin, [[source, whether it stands alone], …], as MathML on stdout; null for one that KaTeX refuses.
const katex = require(process.argv[2]);
const options = { output: "mathml", trust: false, strict: "ignore", maxExpand: 200, maxSize: 20 };
const typeset = ([source, displayMode]) => {
  try {
    return katex.renderToString(source, { ...options, displayMode });
  } catch {
    return null;
  }
};
const formulas = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formulas.map(typeset)));
