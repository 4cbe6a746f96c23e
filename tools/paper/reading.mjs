// Run in an empty page: makes XHTML, as e-readers want it, of a page's HTML.
globalThis.reading = (text) => {
  document.body.innerHTML = text;
  for (const formula of document.querySelectorAll(".katex")) formula.replaceWith(formula.querySelector("math"));
  for (const drawing of document.querySelectorAll("canvas")) {
    const image = document.createElement("img");
    image.src = drawing.style.backgroundImage.slice(5, -2);
    image.alt = "";
    image.className = `${drawing.className} drawn`.trim();
    drawing.style.removeProperty("background");
    image.style.cssText = drawing.style.cssText;
    drawing.replaceWith(image);
  }
  for (const node of document.querySelectorAll("body *")) {
    for (const { name } of [...node.attributes])
      if (/^(aria-pressed|loading|tabindex|hidden|disabled)$/.test(name)) node.removeAttribute(name);
    if (node.namespaceURI.endsWith("svg")) node.removeAttribute("dir");
    if (node.getAttribute("style") === "") node.removeAttribute("style");
  }
  return new XMLSerializer().serializeToString(document.querySelector("main"));
};
