// What has happened: epochs and faults of the group, and if wanted everything at this peer.
import { h } from "../shared/dom";
import type { Note } from "./talk";
import { clockText, durationText, fenceText, plural, shortId } from "./words";

const kept = 400;

/** Events that concern the group. The others happen all the time. */
const rare = new Set([
  "opened", "born", "epoch", "suspicion", "gone", "lost", "joined", "out", "silent", "answers",
  "dead", "gap", "trouble",
]);
const bad = new Set(["suspicion", "lost", "silent", "dead", "out", "gone", "trouble"]);

/** Which members have come and gone since the epoch before. */
function epochText(note: Note, before: Note | null): string {
  const members = note.members ?? [];
  const words = [`epoch ${note.epoch} with ${plural(members.length, "member")}`];
  if (!before?.members) return words[0];
  const came = members.filter((id) => !before.members!.includes(id));
  const out = before.members.filter((id) => !members.includes(id));
  if (came.length) words.push(`${came.map(shortId).join(" ")} came`);
  if (out.length) words.push(`${out.map(shortId).join(" ")} is out`);
  return words.join(": ");
}

function sentence(note: Note, before: Note | null = null): string {
  const peer = note.peer ? shortId(note.peer) : "";
  const lasted = note.lasted_s === undefined ? "" : durationText(note.lasted_s);
  const fence = note.fence ? `fence ${fenceText(note.fence)}, ` : "";
  switch (note.event) {
    case "opened": return `this page was opened${note.epoch ? `, in epoch ${note.epoch}` : ""}`;
    case "born": return "this peer starts";
    case "gone": return "this peer has left";
    case "epoch": return epochText(note, before);
    case "suspicion": return `this peer suspects ${peer}, and proposes to remove it`;
    case "lost": return `this peer has lost ${note.lock}, held for ${lasted}`;
    case "joined": return `${peer} has joined, in ${note.cluster}`;
    case "out": return `${peer} is out`;
    case "silent": return `${peer} does not answer`;
    case "answers": return `${peer} answers again`;
    case "dead": return `${peer} is dead: its lease has ended`;
    case "request": return `${note.lock}: requested${note.shared ? ", shared" : ""}`;
    case "enter": return `${note.lock}: entered, ${fence}after ${lasted || "no wait"}`;
    case "exit": return `${note.lock}: left after ${lasted}`;
    case "withdrawn": return `${note.lock}: gave up waiting`;
    case "came": return `${note.lock}: the token came from ${peer}`;
    case "went": return `${note.lock}: the token went to ${peer}`;
    case "gap": return note.lock ?? "";
    case "trouble": return note.lock ?? "";
    default: return note.event;
  }
}

export class Log {
  readonly element: HTMLElement;
  private readonly list = h("ol", { class: "log", tabindex: 0, "aria-label": "What has happened" });
  private readonly spoken = h("div", { class: "sr-only", "aria-live": "polite" });
  private readonly all = h("input", { type: "checkbox", onchange: () => this.draw() });
  private faults: Note[] = [];
  private everything: Note[] = [];
  private due = false;

  constructor() {
    this.element = h(
      "section",
      { class: "panel log-panel", "aria-labelledby": "log-title" },
      h(
        "header",
        {},
        h("h2", { id: "log-title" }, "Epochs and faults"),
        h("label", {}, this.all, "everything at this peer"),
      ),
      this.list,
      this.spoken,
    );
    this.draw();
  }

  /** Adds earlier events, except those that the page has already. */
  begin(past: Note[]) {
    const known = new Set(this.faults.map((note) => `${note.event} ${note.at}`));
    this.add(past.filter((note) => !known.has(`${note.event} ${note.at}`)), 0);
  }

  add(notes: Note[], leftOut: number) {
    const faults = notes.filter((note) => rare.has(note.event));
    if (leftOut > 0 && this.all.checked)
      notes = [...notes, { at: Date.now(), event: "gap", lock: plural(leftOut, "more event") }];
    this.faults = [...this.faults, ...faults].sort((a, b) => a.at - b.at).slice(-kept);
    this.everything = [...this.everything, ...notes].slice(-kept);
    const news = faults.map((note) => sentence(note)).join("; ");
    if (news) this.spoken.textContent = news;
    if (this.due || (faults.length === 0 && !this.all.checked)) return;
    this.due = true;
    requestAnimationFrame(() => this.draw());
  }

  private draw() {
    this.due = false;
    const notes = (this.all.checked ? this.everything : this.faults).slice(-120);
    let epoch: Note | null = null;
    const items = notes.map((note) => {
      const text = sentence(note, epoch);
      if (note.event === "epoch") epoch = note;
      return h(
        "li",
        { class: bad.has(note.event) ? "bad" : rare.has(note.event) ? "notable" : note.event },
        h("time", { datetime: new Date(note.at).toISOString() }, clockText(note.at)),
        h("span", { title: note.members?.join(" ") ?? text }, text),
      );
    });
    items.reverse();
    if (items.length === 0) items.push(h("li", { class: "quiet" }, h("span", {}, "nothing yet")));
    this.list.replaceChildren(...items);
  }
}
