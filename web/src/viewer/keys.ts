// What the keys do (help.ts lists them). They work wherever the focus is, except in fields.
import type { Viewer } from "./view";

export class Keys {
  readonly leave: () => void;

  constructor(private readonly viewer: Viewer) {
    const listen = (event: KeyboardEvent) => this.press(event);
    document.addEventListener("keydown", listen);
    this.leave = () => document.removeEventListener("keydown", listen);
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const writes = target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (writes || (event.key === " " && target.matches("button, [role=button], summary, input")))
      return;
    const act = this.action(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  private action(event: KeyboardEvent): (() => void) | null {
    const { viewer } = this;
    const by = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => viewer.play(),
      ArrowRight: () => viewer.step(by),
      ArrowLeft: () => viewer.step(-by),
      Home: () => viewer.show(0),
      End: () => viewer.show(viewer.film.count - 1),
      n: () => viewer.jumpTo("entry", 1),
      p: () => viewer.jumpTo("entry", -1),
      v: () => viewer.jumpTo("violation", 1),
      V: () => viewer.jumpTo("violation", -1),
      ".": () => viewer.jumpTo("caption", 1),
      ",": () => viewer.jumpTo("caption", -1),
      "+": () => viewer.diagram.zoom(1 / 1.6),
      "=": () => viewer.diagram.zoom(1 / 1.6),
      "-": () => viewer.diagram.zoom(1.6),
      "0": () => viewer.diagram.fit(),
      "]": () => viewer.diagram.zoomRows(1.3),
      "[": () => viewer.diagram.zoomRows(1 / 1.3),
      o: () => viewer.toggleAxis(),
      "/": () => viewer.openTab("All events"),
      f: () => viewer.openTab("Filter"),
      "?": () => viewer.openHelp(),
    };
    return actions[event.key] ?? null;
  }
}
