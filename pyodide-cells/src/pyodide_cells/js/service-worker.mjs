// Keeps the site for when there is no network: what Python is made of comes from here first, all else from the network.

const CACHE = "pyodide-cells"; // of all books that one origin has
const PYTHON = new URL("_static/python/", registration.scope).href;
const FIXED = [`${PYTHON}pyodide/`, `${PYTHON}library.zip`]; // the same until the book is built anew
const NOTE = `${PYTHON}version`; // where the cache notes the version of those
const NEITHER = "This page is not kept in this browser, and there is no network. Read it once with one.";

let renewed = Promise.resolve(); // settled when what an older build left is gone

const fixed = ({ url }) => FIXED.some((start) => url.startsWith(start));

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("message", (event) => {
  if (event.data === "claim") event.waitUntil(clients.claim());
  if (event.data.version) {
    renewed = renew(event.data.version).catch(() => {}); // a full disk, or none
    event.waitUntil(renewed);
  }
  if (event.data.keep) event.waitUntil(keep(event.data.keep));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const ours = request.method === "GET" && new URL(request.url).origin === location.origin;
  if (ours && !request.headers.has("range")) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const first = fixed(request) && request.cache !== "reload"; // which the page asks for where what is kept is wrong
  if (first) {
    await renewed;
    const there = await kept(request);
    if (there) return there;
  } else if (fixed(request)) await drop(request);
  try {
    const response = await fetch(first ? new Request(request, { cache: "no-cache" }) : request);
    if (response.status === 200) event.waitUntil(put(request, response.clone()));
    return response;
  } catch (error) {
    const there = await kept(request);
    if (there) return there;
    if (request.mode !== "navigate") throw error;
    return new Response(NEITHER, { status: 503, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }
}

// A browser may have no storage, or lose it.
async function kept(request) {
  try {
    const cache = await caches.open(CACHE);
    return await cache.match(request, { ignoreVary: true, ignoreSearch: request.mode === "navigate" });
  } catch {
    return undefined;
  }
}

async function drop(request) {
  const cache = await caches.open(CACHE).catch(() => null);
  await cache?.delete(request, { ignoreVary: true });
}

// A full disk is no reason to go without an answer.
async function put(request, response) {
  try {
    const cache = await caches.open(CACHE);
    await cache.put(request, response);
  } catch {
    /* not kept, then */
  }
}

async function keep(urls) {
  const cache = await caches.open(CACHE);
  const one = async (url) => (await cache.match(url, { ignoreVary: true })) ?? cache.add(url).catch(() => {});
  await Promise.all(urls.map(one)); // none waits for another that does not come
}

// Another build of the book has other files.
async function renew(version) {
  const cache = await caches.open(CACHE);
  const note = await cache.match(NOTE);
  if (note && (await note.text()) === version) return;
  for (const request of await cache.keys()) if (fixed(request)) await cache.delete(request);
  await cache.put(NOTE, new Response(version));
}
