// What the book's pages ask of their widgets: an answer to a question stays in this browser's storage.

const page = () => document.documentElement.dataset.page ?? location.pathname;

export default {
  storageKey: (element, fields) => (fields.includes("answer") ? `attention-book:${page()}#${element.id}` : null),
};
