// The members as a table, cluster by cluster: what the map says, in words.
import { h } from "../shared/dom";
import { groupByCluster } from "./layout";
import type { Group, Member } from "./talk";
import { durationText, plural, rateText } from "./words";

const columns = ["member", "lease", "age", "entries/s", "clients", "lost", "speaks"];

/** The addresses that other machines can reach. */
function addressText(member: Member): string {
  const ways = member.address.split(" ").filter((way) => way.startsWith("tcp:"));
  return ways.length ? ways.map((way) => way.slice(4)).join(" ") : "on its machine only";
}

const mark = (text: string, title: string) => h("span", { class: "mark quiet", title }, text);

export class MemberTable {
  readonly element: HTMLElement;
  private readonly body = h("div", {
    class: "scroll",
    tabindex: 0,
    role: "region",
    "aria-label": "Members",
  });
  private chosen: string | null = null;

  constructor(private readonly evict: (member: Member) => void) {
    this.element = h("div", { class: "members" }, this.body);
  }

  choose(id: string) {
    this.chosen = id;
  }

  show(group: Group, rates: ReadonlyMap<string, number>, admin: boolean) {
    if (this.body.contains(document.activeElement) && document.activeElement !== this.body)
      return this.update(group, rates);
    const clusters = [...groupByCluster(group.members)];
    const more = group.member_count - group.members.length;
    this.body.replaceChildren(
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...columns.map((name) => h("th", { scope: "col" }, name)),
            admin && h("th", {}, ""),
          ),
        ),
        ...clusters.map(([name, members]) =>
          h(
            "tbody",
            {},
            h(
              "tr",
              { class: "cluster-row" },
              h(
                "th",
                { scope: "rowgroup", colspan: columns.length + 1 },
                `${name || "this peer and its neighbours"} `,
                h("span", { class: "quiet" }, plural(members.length, "member")),
              ),
            ),
            ...members.map((member) => this.row(member, group, rates, admin)),
          ),
        ),
      ),
      more > 0 ? h("p", { class: "quiet" }, `and ${more} more`) : "",
    );
    this.body.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
    this.chosen = null;
  }

  /** Changes only the words, because the user may be about to press a button in the table. */
  private update(group: Group, rates: ReadonlyMap<string, number>) {
    for (const member of group.members) {
      const row = this.body.querySelector(`[data-member="${member.id}"]`);
      if (!row) continue;
      row.classList.toggle("away", !member.answers);
      this.cells(member, rates).forEach((text, i) => (row.children[i + 1].textContent = text));
    }
  }

  private cells(member: Member, rates: ReadonlyMap<string, number>): string[] {
    const some = (value: number | undefined, text: (value: number) => string = String) =>
      value === undefined ? "–" : text(value);
    return [
      member.lease,
      some(member.age_s, durationText),
      some(rates.get(member.id), rateText),
      some(member.clients),
      some(member.losses),
      member.speaks.replace(/versions? /, "v"),
    ];
  }

  private row(member: Member, group: Group, rates: ReadonlyMap<string, number>, admin: boolean) {
    const self = member.id === group.asked;
    const words = ["member-row", !member.answers && "away", member.id === this.chosen && "chosen"];
    return h(
      "tr",
      {
        class: words.filter(Boolean).join(" "),
        "data-member": member.id,
        title: addressText(member),
      },
      h(
        "th",
        { scope: "row" },
        h("code", {}, member.id),
        self && h("span", { class: "mark" }, "this peer"),
        member.guest && mark("guest", "It came after the epoch began"),
        member.measured && mark("auto", "Its cluster is measured"),
      ),
      ...this.cells(member, rates).map((text) => h("td", {}, text)),
      admin &&
        h(
          "td",
          {},
          group.all_members &&
            h("button", { class: "small danger", onclick: () => this.evict(member) }, "Evict"),
        ),
    );
  }
}
