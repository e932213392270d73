// A menu at a place of the page: arrows, Home and End move in it, Escape closes it, and the focus
// goes back to where it was.
import { h } from "../shared/dom";
import type { Action } from "./actions";

export class Menu {
  readonly element = h("div", { class: "menu", role: "menu", hidden: true });
  private opener: HTMLElement | SVGElement | null = null;

  constructor(private readonly choose: (action: Action) => void) {
    this.element.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.contains(event.target as Node)) this.close(false);
    });
    window.addEventListener("resize", () => this.close(false));
  }

  /** Opens at the place of a click, or else below the element. */
  open(title: string, note: string, actions: Action[], event: Event): void {
    const target = event.currentTarget ?? event.target;
    this.opener = target instanceof Element ? (target as HTMLElement | SVGElement) : null;
    this.element.setAttribute("aria-label", title);
    this.element.replaceChildren(
      h(
        "div",
        { class: "menu-title", role: "presentation" },
        h("strong", {}, title),
        note && h("span", { class: "quiet" }, note),
      ),
      ...actions.map((action) =>
        h(
          "button",
          {
            role: "menuitem",
            tabindex: -1,
            class: action.fault && "fault",
            onclick: () => {
              this.close(true);
              this.choose(action);
            },
          },
          action.label,
        ),
      ),
    );
    if (actions.length === 0)
      this.element.append(h("p", { class: "quiet" }, "Nothing can be done with it now."));
    this.element.hidden = false;
    this.place(event);
    (this.items()[0] ?? this.element).focus();
  }

  close(refocus: boolean): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    if (refocus) this.opener?.focus();
  }

  private items(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("[role=menuitem]")];
  }

  private place(event: Event): void {
    const box = this.opener?.getBoundingClientRect() ?? new DOMRect();
    const at =
      event instanceof MouseEvent && event.detail > 0
        ? { x: event.clientX, y: event.clientY }
        : { x: box.left + box.width / 2, y: box.bottom };
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const edge = 8;
    const x = Math.max(edge, Math.min(at.x + 4, innerWidth - width - edge));
    const y = at.y + height + edge <= innerHeight ? at.y + 4 : Math.max(edge, at.y - height - 4);
    this.element.style.left = `${x}px`;
    this.element.style.top = `${y}px`;
  }

  private press(event: KeyboardEvent): void {
    const items = this.items();
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at + items.length - 1) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    event.stopPropagation();
    if (event.key === "Escape") this.close(true);
    else if (event.key === "Tab") return this.close(true);
    else if (event.key in to && items.length > 0) items[to[event.key]].focus();
    else return;
    event.preventDefault();
  }
}
