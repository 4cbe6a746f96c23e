// Elements of a page, made in one expression. Text is text: nothing here reads HTML.

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function button(text, act, className = "") {
  const made = make("button", { type: "button", textContent: text, className });
  made.addEventListener("click", act);
  return made;
}

// Bring a style into a page; settled when it is there, or cannot be had.
export function bring_style(href) {
  const link = make("link", { rel: "stylesheet", href });
  const loaded = new Promise((done) => {
    link.onload = link.onerror = done;
  });
  document.head.append(link);
  return loaded;
}

// Do something that may take away what has the focus in an element: its heir has it then, and not the page as a whole.
export function keep_focus(element, heir, act) {
  const had = element.contains(document.activeElement);
  act();
  const { activeElement } = document;
  if (had && !(element.contains(activeElement) && activeElement.checkVisibility()))
    heir().focus({ preventScroll: true });
}
