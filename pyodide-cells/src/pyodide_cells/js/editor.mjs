// The editor of a cell: CodeMirror 6 in the page's own look, its tokens with the class names that Pygments gives them.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const TOKENS = HighlightStyle.define([
  { tag: tags.comment, class: "c1" },
  { tag: [tags.keyword, tags.operatorKeyword], class: "k" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: [tags.string, tags.special(tags.string)], class: "s1" },
  { tag: tags.number, class: "mi" },
  { tag: [tags.special(tags.brace), tags.escape], class: "si" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
]);

// As wide and as high as the code that it replaces.
const LOOK = EditorView.theme({
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px", borderRadius: "4px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: ".8rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--code-side, 1rem)" },
  "&.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket": {
    background: "color-mix(in srgb, var(--accent), transparent 80%)",
  },
});

// Tab indents, until Escape was pressed: from then on it leaves the editor, as everywhere in a page.
const LEAVE = [
  keymap.of([{ key: "Escape", run: (view) => view.setTabFocusMode(true) ?? true }]),
  EditorView.domEventHandlers({ focus: (_, view) => view.setTabFocusMode(false) ?? false }),
];

// The caret keeps clear of what lies over the page's edges, and the code's own margin is seen, too.
function margins() {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  return { left: 24, right: 24, top: parseFloat(scrollPaddingTop) || 0, bottom: parseFloat(scrollPaddingBottom) || 0 };
}

// An editor with a text in `parent`. `run` and `go` are what Ctrl-Enter and Shift-Enter do.
export function edit(parent, { text, at, label, described, changed, run, go }) {
  const view = new EditorView({
    parent,
    doc: text,
    selection: { anchor: Math.min(at, text.length) },
    extensions: [
      keymap.of([
        { key: "Mod-Enter", run: () => run() ?? true },
        { key: "Ctrl-Enter", run: () => run() ?? true }, // on a Mac Mod is another key
        { key: "Shift-Enter", run: () => go() ?? true },
      ]),
      LEAVE,
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      history(),
      closeBrackets(),
      indentOnInput(),
      bracketMatching(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      pythonLanguage,
      syntaxHighlighting(TOKENS),
      LOOK,
      EditorView.scrollMargins.of(margins),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": described, tabindex: "0" }),
      EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    ],
  });
  return {
    focus: () => {
      view.focus();
      view.dispatch({ scrollIntoView: true }); // it may be another cell than the one that the reader was in
    },
    replace: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
  };
}
