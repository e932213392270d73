// The top of the page: which group this is, its state in a few numbers, and whether they are fresh.
import { h } from "../shared/dom";
import { type History, quantile } from "./history";
import type { Group, Hello } from "./talk";
import { countText, durationText, rateText, shortId } from "./words";

const keys = [
  ["/", "search the locks"],
  ["m", "show members as a map or as a table"],
  ["Esc", "close the selected lock"],
  ["Tab, Enter", "move to a member or a lock, and select it"],
  ["?", "this list"],
];

class Tile {
  readonly name = h("dt");
  readonly value = h("dd");
  readonly element: HTMLElement;
  /** `wide`: its number may have ten digits, or a unit. */
  constructor(name: string, title: string, wide = false) {
    this.name.textContent = name;
    this.element = h("div", { class: wide ? "tile wide" : "tile", title }, this.name, this.value);
  }
  show(text: string, quiet = "") {
    this.value.replaceChildren(text, quiet ? h("small", {}, ` ${quiet}`) : "");
  }
}

export class Head {
  readonly element: HTMLElement;
  readonly help: HTMLDialogElement;
  private readonly title = h("h1", {}, "Conch");
  private readonly about = h("p", { class: "about" });
  private readonly state = h("span", { class: "state", role: "status" }, "connecting");
  private readonly access = h("span", { class: "chip" });
  private readonly members = new Tile("members", "Members, and how many of them have not answered");
  private readonly epoch = new Tile(
    "epoch",
    "A crash, a leave or a forced lock begins a new one",
    true,
  );
  private readonly held = new Tile("locks held", "Of the locks that any member knows");
  private readonly waiting = new Tile("waiting", "Waiting threads and clients of all members");
  private readonly entries = new Tile("entries/s", "Of all members");
  private readonly handovers = new Tile("handovers/s", "Entries right after another member's");
  private readonly waits = new Tile("wait, 99 %", "At this peer, in the last minute", true);
  private bounds: number[] = [];

  readonly toggleHelp = () => {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  };

  constructor() {
    const tiles = [
      this.members, this.epoch, this.held, this.waiting, this.entries, this.handovers, this.waits,
    ];
    this.element = h(
      "header",
      { class: "live-head" },
      h(
        "div",
        { class: "titles" },
        this.title,
        this.about,
        h(
          "div",
          { class: "tools" },
          this.access,
          this.state,
          h(
            "button",
            {
              class: "small",
              "aria-label": "Keys",
              title: "Keys (?)",
              onclick: this.toggleHelp,
            },
            "?",
          ),
        ),
      ),
      h("dl", { class: "tiles" }, ...tiles.map((tile) => tile.element)),
    );
    this.help = h(
      "dialog",
      {
        class: "help",
        "aria-label": "Keys",
        onclick: (event: Event) => event.target === this.help && this.help.close(),
      },
      h(
        "dl",
        {},
        ...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]),
      ),
      h("button", { class: "small", onclick: this.toggleHelp }, "Close"),
    );
  }

  connected(is: boolean) {
    this.state.className = is ? "state fresh" : "state stale";
    this.state.textContent = is ? "live" : "the peer does not answer; trying again";
  }

  greeted(hello: Hello) {
    document.title = `${hello.group}: a Conch group`;
    this.title.textContent = hello.group;
    this.bounds = hello.wait_bounds_s;
    this.access.textContent = hello.admin ? "changes with a token" : "read-only";
    this.access.title = `Conch ${hello.version}`;
  }

  surveyed(group: Group, history: History) {
    const silent = group.members.filter((member) => !member.answers).length;
    const what = [group.algorithm];
    if (group.dht) what.push(`over ${group.dht}, ${group.replicas} replicas of each lock`);
    if (group.eps > 0) what.push(`eps ${group.eps}`);
    what.push(`seen by ${shortId(group.asked)}`);
    if (!group.all_members) what.push("without a list of members: it and its neighbours");
    this.about.textContent = what.join(" · ");
    this.members.name.textContent = group.all_members ? "members" : "members known here";
    this.members.show(countText(group.member_count), silent ? `${silent} silent` : "");
    this.members.element.classList.toggle("bad", silent > 0);
    this.epoch.element.hidden = !group.all_members;
    this.epoch.show(String(group.epoch));
    this.held.show(countText(group.locks.held), `of ${countText(group.locks.known)}`);
    this.waiting.show(countText(group.locks.waiting));
    this.entries.show(rateText(history.last?.entries ?? 0));
    this.handovers.show(rateText(history.last?.handovers ?? 0));
    const wait = quantile(history.waits(), this.bounds, 0.99);
    if (wait === null) this.waits.show("–");
    else this.waits.show(wait === Infinity ? "> 60 s" : `≤ ${durationText(wait)}`);
  }
}
