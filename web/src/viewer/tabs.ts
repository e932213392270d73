// Panels of which one is visible.
import { h } from "../shared/dom";

let made = 0;

export class Tabs {
  readonly element: HTMLElement;
  private readonly tabs = new Map<string, { tab: HTMLButtonElement; panel: HTMLElement }>();

  constructor(
    panels: [string, HTMLElement][],
    private readonly onShow: (name: string) => void,
  ) {
    const list = h("div", { class: "tab-list", role: "tablist" });
    this.element = h("div", { class: "tabs" }, list);
    for (const [name, content] of panels) {
      const id = `tab-${++made}`;
      const tab = h(
        "button",
        { role: "tab", id, "aria-controls": `${id}-panel`, onclick: () => this.show(name) },
        name,
      );
      const panel = h(
        "div",
        { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, class: "tab-panel" },
        content,
      );
      tab.addEventListener("keydown", (event) => this.key(event, name));
      list.append(tab);
      this.element.append(panel);
      this.tabs.set(name, { tab, panel });
    }
    this.show(panels[0][0]);
  }

  show(name: string): void {
    for (const [other, { tab, panel }] of this.tabs) {
      panel.hidden = other !== name;
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
    }
    this.onShow(name);
  }

  private key(event: KeyboardEvent, name: string): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const names = [...this.tabs.keys()];
    const next = names[(names.indexOf(name) + by + names.length) % names.length];
    this.show(next);
    this.tabs.get(next)!.tab.focus();
  }
}
