// Before anything is drawn: the colours that the reader chose on this device. Without a choice CSS follows the system.
try {
  const chosen = localStorage.getItem("attention-book:colours");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  /* storage is switched off: the system decides */
}
document.documentElement.classList.add("has-script");
// Opened at a place in it, or once more, a page is laid out whole (page.css), for that place to be right.
if (location.hash || performance.getEntriesByType("navigation")[0]?.type !== "navigate")
  document.documentElement.classList.add("whole");
