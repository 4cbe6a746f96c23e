// Before anything is drawn: the colours that the reader chose on this device. Without a choice CSS follows the system.
try {
  const chosen = localStorage.getItem("attention-book:colours");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* storage is switched off: the system decides */ }
document.documentElement.classList.add("has-script");
