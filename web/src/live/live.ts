// The page of `conch peer --http`: one peer tells what happens at it and how its group is.
import "../shared/theme.css";
import "./live.css";
import { h } from "../shared/dom";
import { Actions } from "./actions";
import { RateChart, WaitChart } from "./charts";
import { LockDetail } from "./detail";
import { Head } from "./head";
import { History } from "./history";
import { LockList } from "./locks";
import { Log } from "./log";
import { GroupMap } from "./map";
import { MemberTable } from "./members";
import { type Group, type Hello, listen, type Member, type Note } from "./talk";

class LivePage {
  private readonly history = new History();
  private readonly head = new Head();
  private readonly map = new GroupMap(
    (lock) => this.choose(lock),
    (id) => this.showMember(id),
  );
  private readonly members = new MemberTable((member) => this.evict(member));
  private readonly locks = new LockList((lock) => this.choose(lock));
  private readonly detail = new LockDetail(
    (lock) => this.unlock(lock),
    () => this.choose(null),
  );
  private readonly rates = new RateChart();
  private readonly waits = new WaitChart();
  private readonly log = new Log();
  private readonly actions = new Actions(() => void this.locks.refresh());
  private hello: Hello | null = null;
  private group: Group | null = null;
  private readonly asMap = h("button", { onclick: () => this.showAs(true) }, "Map");
  private readonly asTable = h("button", { onclick: () => this.showAs(false) }, "Table");

  start(place: HTMLElement) {
    this.showAs(true);
    const shownAs = { class: "switch", role: "group", "aria-label": "Shown as" };
    const members = h(
      "section",
      { class: "panel members-panel", "aria-labelledby": "members-title" },
      h(
        "header",
        {},
        h("h2", { id: "members-title" }, "Members"),
        h("div", shownAs, this.asMap, this.asTable),
      ),
      this.map.element,
      this.members.element,
    );
    this.locks.element.append(this.detail.element);
    place.append(
      h(
        "main",
        { class: "live" },
        this.head.element,
        members,
        this.locks.element,
        h("div", { class: "charts" }, this.rates.element, this.waits.element),
        this.log.element,
      ),
      this.head.help,
      this.actions.element,
    );
    document.addEventListener("keydown", (event) => this.pressed(event));
    listen({
      connected: () => this.head.connected(true),
      disconnected: () => this.head.connected(false),
      hello: (hello) => this.greeted(hello),
      notes: ({ notes, left_out }) => this.told(notes, left_out),
      rates: (rates) => this.history.takeRates(rates),
      group: (group) => this.surveyed(group),
      gap: (events) => this.log.add([note("gap", `${events} events did not reach this page`)], 0),
      trouble: (why) => this.log.add([note("trouble", why)], 0),
    });
  }

  private greeted(hello: Hello) {
    this.hello = hello;
    this.head.greeted(hello);
    this.detail.allow(hello.admin);
    this.log.begin(hello.past);
  }

  private told(notes: Note[], leftOut: number) {
    const self = this.hello?.self;
    for (const each of notes) {
      if (!self || !each.lock || !each.peer) continue;
      if (each.event === "came") this.map.moved(each.lock, each.peer, self);
      if (each.event === "went") this.map.moved(each.lock, self, each.peer);
    }
    this.log.add(notes, leftOut);
  }

  private surveyed(group: Group) {
    const epoch = group.all_members ? group.epoch : undefined;
    if (!this.group) this.log.add([{ at: group.at, event: "opened", epoch }], 0);
    this.group = group;
    this.history.takeGroup(group);
    this.head.surveyed(group, this.history);
    void this.locks.refresh();
    void this.detail.refresh().then(() => this.draw());
  }

  private draw() {
    if (!this.group) return;
    const rates = this.history.byMember;
    if (this.map.element.hidden) this.members.show(this.group, rates, this.hello?.admin ?? false);
    else this.map.show(this.group, rates, this.detail.lock);
    this.rates.draw(this.history);
    this.waits.draw(this.history, this.hello?.wait_bounds_s ?? []);
  }

  private choose(lock: string | null) {
    this.detail.choose(lock);
    this.locks.mark(lock);
    void this.detail.refresh().then(() => this.draw());
  }

  private showMember(id: string) {
    this.members.choose(id);
    this.showAs(false);
  }

  private showAs(map: boolean) {
    this.map.element.hidden = !map;
    this.members.element.hidden = map;
    this.asMap.setAttribute("aria-pressed", String(map));
    this.asTable.setAttribute("aria-pressed", String(!map));
    this.draw();
  }

  private evict(member: Member) {
    this.actions.ask({
      title: `Evict ${member.id}?`,
      warning:
        "It is removed from the group and loses its locks; a new epoch begins. If it is alive, " +
        "it is told so, and comes back as a new member.",
      button: "Evict it",
      path: "evict",
      body: { member: member.id },
    });
  }

  private unlock(lock: string) {
    this.actions.ask({
      title: `Take ${lock} from its holder?`,
      warning:
        "The holder may be in the middle of something; only a check of its fence stops what it " +
        "does afterwards. The next waiter gets the lock, in a new epoch.",
      button: "Unlock by force",
      path: "unlock",
      body: { lock },
    });
  }

  private pressed(event: KeyboardEvent) {
    if (this.actions.element.open || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (this.head.help.open) {
      // Escape closes it, and nothing else.
      if (event.key === "?") this.head.toggleHelp();
      return;
    }
    if (event.key === "Escape") return this.choose(null);
    if (target.matches("input[type=search]")) return;
    if (event.key === "/") {
      event.preventDefault();
      this.locks.search.focus();
    }
    if (event.key === "m" && !target.matches("select")) this.showAs(this.map.element.hidden);
    if (event.key === "?") this.head.toggleHelp();
  }
}

const note = (event: string, text: string): Note => ({ at: Date.now(), event, lock: text });

new LivePage().start(document.getElementById("app")!);
