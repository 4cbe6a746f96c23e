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
