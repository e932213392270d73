// One lock: who is inside, and who waits, in order.
import { h } from "../shared/dom";
import { fetchLocks, type Lock, type Part } from "./talk";
import { durationText, fenceText } from "./words";

const line = (part: Part, word: string, place: string) =>
  h(
    "li",
    {},
    h("span", { class: "place" }, place),
    h("code", { class: `who ${word}` }, part.member),
    h("span", { class: "quiet" }, `${durationText(part.since_s)}${part.shared ? ", shared" : ""}`),
    part.in_line > 0 && h("span", { class: "quiet" }, `and ${part.in_line} queued there`),
  );

export class LockDetail {
  readonly element: HTMLElement;
  lock: Lock | null = null;
  private name: string | null = null;
  private readonly title = h("h3");
  private readonly about = h("p", { class: "quiet" });
  private readonly lines = h("ol", { class: "queue-lines" });
  private readonly force = h(
    "button",
    { class: "small danger", hidden: true, onclick: () => this.name && this.unlock(this.name) },
    "Unlock by force",
  );

  constructor(
    private readonly unlock: (lock: string) => void,
    close: () => void,
  ) {
    this.element = h(
      "section",
      { class: "detail", hidden: true, "aria-label": "The chosen lock" },
      h(
        "header",
        {},
        this.title,
        this.force,
        h("button", { class: "small", onclick: close, "aria-label": "Close" }, "✕"),
      ),
      this.about,
      this.lines,
    );
  }

  choose(name: string | null) {
    this.name = name;
    this.lock = null;
    this.force.disabled = true;
    this.element.hidden = name === null;
    this.title.textContent = name ?? "";
    this.about.textContent = "";
    this.lines.replaceChildren();
  }

  allow(admin: boolean) {
    this.force.hidden = !admin;
  }

  async refresh() {
    const name = this.name;
    if (name === null) return;
    const found = await fetchLocks({ lock: name });
    if (found && name === this.name) this.show(found.locks[0] ?? null);
  }

  private show(lock: Lock | null) {
    this.lock = lock;
    // There is nobody to take it from.
    this.force.disabled = !lock?.holders.length && !lock?.queue;
    if (!lock) {
      this.about.textContent = "No member knows it at the moment.";
      return this.lines.replaceChildren();
    }
    const words = [];
    if (lock.fence) words.push(`fence ${fenceText(lock.fence)}`);
    if (lock.token) words.push(`the token is at ${lock.token}`);
    if (!lock.holders.length) words.unshift("free");
    if (lock.queue > 0) words.push(`${lock.queue} waiting`);
    this.about.textContent = words.join(" · ");
    this.lines.replaceChildren(
      ...lock.holders.map((part) => line(part, "inside", "in")),
      ...lock.waiters.map((part, i) => line(part, "waiting", `${i + 1}.`)),
    );
  }
}
