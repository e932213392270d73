// The dialogs: the run as a scenario to copy, or another to paste; and the keys.
import { h } from "../shared/dom";
import { keys as viewerKeys } from "../viewer/help";

const keys: [string, string][] = [
  ["s", "step: whatever comes next by itself"],
  ["r", "run, pause"],
  ["e", "to the end"],
  ["u U", "undo, redo"],
  ["Enter", "on a node or a message: what can be done with it"],
];

function dialog(title: string, ...content: (Node | false)[]): HTMLDialogElement {
  const element = h(
    "dialog",
    { class: "playground-dialog", "aria-label": title },
    h("h2", {}, title),
    ...content,
  );
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  return element;
}

export class ScenarioDialog {
  readonly element: HTMLDialogElement;
  private readonly text = h("textarea", {
    spellcheck: "false",
    "aria-label": "Scenario",
    rows: 18,
  });
  private readonly copied = h("span", { class: "quiet", role: "status" });

  constructor(run: (text: string) => void) {
    this.element = dialog(
      "Scenario",
      h(
        "p",
        { class: "quiet" },
        "Save it as run.txt, and conch replay run.txt does the same. Or paste another, and run it.",
      ),
      this.text,
      h(
        "div",
        { class: "row" },
        h("button", { class: "primary", onclick: () => this.copy() }, "Copy"),
        h(
          "button",
          {
            onclick: () => {
              this.element.close();
              run(this.text.value);
            },
          },
          "Run this",
        ),
        h("button", { onclick: () => this.element.close() }, "Close"),
        this.copied,
      ),
    );
  }

  open(text: string): void {
    this.text.value = text;
    this.copied.textContent = "";
    this.element.showModal();
  }

  private async copy(): Promise<void> {
    this.copied.textContent = (await copyText(this.text.value, this.text))
      ? "Copied."
      : "Press Ctrl+C to copy.";
  }
}

export class HelpDialog {
  readonly element: HTMLDialogElement;

  constructor() {
    this.element = dialog(
      "Keys",
      h(
        "dl",
        {},
        ...[...keys, ...viewerKeys].flatMap(([key, what]) => [
          h("dt", {}, ...key.split(" ").map((one) => h("kbd", {}, one))),
          h("dd", {}, what),
        ]),
      ),
      h("div", { class: "row" }, h("button", { onclick: () => this.element.close() }, "Close")),
    );
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
  }
}

/** Only pages of a secure origin may write to the clipboard; a field can be selected everywhere. */
export async function copyText(text: string, field?: HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field?.select();
    return false;
  }
}
