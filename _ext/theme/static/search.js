// What Sphinx's search does not know: a page's formulas have a second, spoken form, what waits for a guess has a line
// that says so, a folder on disk may not be read, and a result should lead to the words themselves (a text fragment),
// not to the top of a long page.
{
  const plain = Search.htmlToText;
  Search.htmlToText = (page, anchor) => {
    const parsed = new DOMParser().parseFromString(page, "text/html");
    parsed.querySelectorAll(".katex-mathml, .withheld-door").forEach((element) => element.remove());
    return plain(parsed.documentElement.outerHTML, anchor);
  };
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  // A learner looks for the chapter that defines a term, before others that use it and before functions of such a name.
  const results = document.getElementById("search-results");
  const asked = query.toLowerCase();
  const defining = Object.entries(JSON.parse(results.dataset.defined)).find(
    ([term]) => asked && term.startsWith(asked),
  );
  Scorer.objPartialMatch = 0;
  Scorer.score = ([page, , anchor, , score]) => score + (page === defining?.[1] && !anchor ? 100 : 0);

  const words = [query, ...query.split(/\s+/)].map((part) => `text=${encodeURIComponent(part).replaceAll("-", "%2D")}`);
  new MutationObserver(() => {
    for (const link of results.querySelectorAll("li > a:not([href*='#'])")) link.href += `#:~:${words.join("&")}`;
  }).observe(results, { childList: true, subtree: true });
  if (!query) document.querySelector("main input").focus();
}
