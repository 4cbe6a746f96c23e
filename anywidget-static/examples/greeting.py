"""A widget of one file: its module and its style are texts, as they may be in a notebook's cell."""

from html import escape

import traitlets

from anywidget_static import Widget


class Greeting(Widget):
    """Says hello to a name that the reader types."""

    _esm = """
    export default {
      render({ model, el }) {
        const label = Object.assign(document.createElement("label"), { textContent: "Your name " });
        const input = Object.assign(document.createElement("input"), { maxLength: 40 });
        const hello = Object.assign(document.createElement("output"), { className: "greeting" });
        const update = () => {
          if (input.value !== model.get("name")) input.value = model.get("name");
          hello.textContent = `Hello, ${model.get("name")}!`;
        };
        input.addEventListener("input", () => {
          model.set("name", input.value);
          model.save_changes();
        });
        label.append(input);
        el.append(label, hello);
        model.on("change:name", update);
        update();
        return () => model.off("change:name", update);
      },
    };
    """
    _css = ".greeting { display: block; font-weight: bold; overflow-wrap: anywhere; }"
    name = traitlets.Unicode("world").tag(sync=True, link=True)

    def fallback(self) -> str:
        return f"<p>Hello, {escape(self.name)}!</p>"
