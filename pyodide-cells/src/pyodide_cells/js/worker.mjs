// The worker in which Python runs: it loads Pyodide from the site's own files, and hands messages to kernel.py and back.

import { loadPyodide } from "pyodide";

let kernel, pyodide;
let values = null; // what the cells of this page made when the book was built, as bytes

const post = (message) => self.postMessage(message);
const DEAD =
  "Python has ended: it ran out of memory or of room for calls, or a cell ended it. What you wrote is kept; run the cells again.";
const BROKEN =
  "Python was ended: a cell has changed something that Python itself needs. What you wrote is kept; run the cells again.";

const actions = {
  async start({ base, manifest }) {
    const folder = `${base}pyodide/`;
    const failed = watch_loading(base, manifest);
    const library = fetch(`${base}${manifest.library}`).then((response) => response.arrayBuffer());
    for (const other of [library, failed]) other.catch(() => {}); // awaited below, perhaps after another fault
    await fetch(`${folder}pyodide.asm.js`); // Pyodide imports it, unchecked
    const loading = loadPyodide({
      indexURL: folder,
      packages: manifest.packages,
      checkIntegrity: false, // it is done on their way
      env: { MPLBACKEND: "agg", HOME: "/home/pyodide" },
    });
    pyodide = await Promise.race([loading, failed]); // without its .wasm Pyodide waits for ever
    pyodide._api.on_fatal = () => post({ type: "died", message: DEAD }); // what waits for Python then waits for ever
    const extractDir = pyodide.pyimport("site").getsitepackages()[0];
    if (manifest.packages.some((name) => !pyodide.loadedPackages[name])) throw new Error("a package is damaged"); // Pyodide only notes it
    pyodide.unpackArchive(await library, "zip", { extractDir });
    const load = async (name) => {
      let whole = true; // it, and all that it needs
      await pyodide.loadPackage(name, { messageCallback() {}, errorCallback: () => (whole = false) });
      if (!whole || !pyodide.loadedPackages[name]) throw new Error("it is not in this site, or the network is gone");
    };
    const send = (message, buffers) => post({ ...JSON.parse(message), buffers });
    kernel = pyodide.pyimport("pyodide_cells.page").start(send, manifest.missing, manifest.later, load);
  },

  async run({ id, source, cell, original, page }) {
    const ended = plain(await kernel.run(id, source));
    if (ended.status === "needs" && cell !== undefined) {
      if (!values) {
        const response = await checked(`${page}.values`, self.fetch, { cache: "no-cache" }); // of this build
        values = new Uint8Array(await response.arrayBuffer());
      }
      await kernel.recall(id, original, ended.needs, values, cell);
      ended.handed = true;
    }
    return ended;
  },

  // From a widget's view. There is no answer to wait for.
  async comm({ comm, content, buffers }) {
    kernel.hear(comm, JSON.stringify(content), pyodide.toPy(buffers)); // as JSON, null is None
  },
};

// One thing after the other, in the order in which they were asked for.
let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  queue = queue.then(async () => {
    try {
      post({ type: "done", call: data.call, result: await actions[data.type](data) });
    } catch (error) {
      const fatal = kernel && !(error instanceof Missing);
      if (fatal) console.error(error);
      const broken = fatal && !error.pyodide_fatal_error && error instanceof pyodide.ffi.PythonError;
      const ended = broken ? BROKEN : DEAD;
      post({ type: fatal ? "died" : "failed", call: data.call, message: fatal ? ended : sentence(error) });
    }
  });
};

self.close = () => post({ type: "died", message: DEAD }); // else the page would wait for ever

function plain(proxy) {
  const value = proxy.toJs({ dict_converter: Object.fromEntries });
  proxy.destroy();
  return value;
}

const sentence = (error) => (error instanceof Missing ? error.message : `Python could not be loaded: ${error.message}`);

class Missing extends Error {}

async function checked(url, native = fetch, init = undefined) {
  const name = new URL(url, location).pathname.split("/").at(-1);
  const response = await native(url, init).catch(() => {
    throw new Missing(`Python could not be loaded: ${name} did not come. Is there a network?`);
  });
  if (!response.ok) throw new Missing(`Python could not be loaded: this site has no ${name} (${response.status}).`);
  return response;
}

// Pyodide fetches its files itself: they are counted on their way, and those with a digest are held to it. What it
// returns rejects when one fails.
function watch_loading(base, manifest) {
  const native = self.fetch.bind(self);
  const files = new Map(manifest.files.map((file) => [new URL(file.url, base).href, file]));
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let loaded = 0;
  const counted = async (input, init) => {
    const url = new URL(input.url ?? input, location).href;
    if (!url.startsWith(base)) return native(input, init); // a cell's own
    const file = files.get(url);
    const mine = file && crypto.subtle; // its digest is compared here, for a sentence of its own
    const response = await checked(url, native, mine ? { ...init, integrity: "" } : init);
    if (!file) return response;
    const count = new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        post({ type: "progress", loaded, total, what: file.url });
        controller.enqueue(chunk);
      },
    });
    const answer = new Response(response.body.pipeThrough(count), { headers: response.headers });
    const bytes = await answer.arrayBuffer();
    const right = !crypto.subtle || file.integrity === (await digest(bytes));
    const anew = { ...init, cache: "reload" };
    if (!right && init?.cache !== "reload") return counted(input, anew); // a cache may have another build's
    if (!right)
      throw new Missing(`Python could not be loaded: ${file.url} is not the file that this book was built with.`);
    return new Response(bytes, { headers: response.headers });
  };
  return new Promise((_, fail) => {
    self.fetch = (input, init) => {
      const answer = counted(input, init);
      answer.catch(fail);
      return answer;
    };
  });
}

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...hash))}`;
}
