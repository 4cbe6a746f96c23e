// Keeps the site for when there is no network: what Python is made of comes from here first, all else from the network.

const CACHE = "pyodide-cells";
const FIXED = /\/_static\/python\/(pyodide\/|library\.zip)/; // the same until the book is built anew
const NOTE = "/version"; // where the cache notes the version of those

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("message", (event) => {
  if (event.data === "claim") event.waitUntil(clients.claim());
  if (event.data.version) event.waitUntil(renew(event.data.version));
  if (event.data.keep) event.waitUntil(keep(event.data.keep));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const ours = request.method === "GET" && new URL(request.url).origin === location.origin;
  if (ours && !request.headers.has("range")) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  const kept = () => cache.match(request, { ignoreVary: true, ignoreSearch: request.mode === "navigate" });
  if (FIXED.test(request.url)) {
    const there = await kept();
    if (there) return there;
  }
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(put(cache, request, response.clone()));
    return response;
  } catch (error) {
    const there = await kept();
    if (there) return there;
    throw error;
  }
}

// A full disk is no reason to go without an answer.
async function put(cache, request, response) {
  try {
    await cache.put(request, response);
  } catch {
    /* not kept, then */
  }
}

async function keep(urls) {
  const cache = await caches.open(CACHE);
  for (const url of urls) if (!(await cache.match(url, { ignoreVary: true }))) await cache.add(url).catch(() => {});
}

// Another build of the book has other files.
async function renew(version) {
  const cache = await caches.open(CACHE);
  const note = await cache.match(NOTE);
  if (note && (await note.text()) === version) return;
  for (const request of await cache.keys()) if (FIXED.test(request.url)) await cache.delete(request);
  await cache.put(NOTE, new Response(version));
}
