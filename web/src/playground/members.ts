// The nodes as a list of buttons, with what each does now; the button opens the node's menu.
import { h } from "../shared/dom";
import type { Member } from "./module";

const words: Record<Member["phase"], string> = {
  idle: "idle",
  waiting: "waits",
  cancelling: "withdraws",
  inside: "inside",
  joining: "joins",
  leaving: "leaves",
  left: "has left",
  crashed: "crashed",
};

export function describe(member: Member, elects: boolean): string {
  if (!elects || member.phase !== "idle") return words[member.phase];
  if (member.elected === member.node) return "coordinator";
  if (member.participant) return "takes part";
  return member.elected === undefined ? "idle" : `elects ${member.elected}`;
}

export class Members {
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "member-list" });

  constructor(private readonly open: (node: number, event: Event) => void) {
    this.element = h(
      "section",
      { class: "members", "aria-label": "Nodes" },
      h("h2", {}, "Nodes"),
      this.list,
    );
  }

  show(members: Member[], elects: boolean): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset?.member;
    this.list.replaceChildren(
      ...members.map((member) => {
        const phase = describe(member, elects);
        return h(
          "button",
          {
            class: `member ${member.phase}`,
            "data-member": member.node,
            "aria-haspopup": "menu",
            "aria-label": `${member.node}: ${phase}${member.token ? ", has the token" : ""}`,
            onclick: (event: Event) => this.open(member.node, event),
          },
          h("span", { class: "name" }, String(member.node)),
          h("span", { class: "phase" }, phase),
          member.token && h("span", { class: "token-mark", title: "has the token" }),
        );
      }),
    );
    if (focused !== undefined)
      this.list.querySelector<HTMLElement>(`[data-member="${focused}"]`)?.focus();
  }
}
