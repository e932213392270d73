// The table of contents, at the side where there is room, which marks the section in view.
import { h } from "../shared/dom";
import { idOf, paperOf, papers, type Experiment, type Report } from "./data";

function groups(report: Report): Map<string, Experiment[]> {
  const byPaper = new Map<string, Experiment[]>();
  for (const experiment of report.experiments) {
    const paper = paperOf(experiment);
    byPaper.set(paper, [...(byPaper.get(paper) ?? []), experiment]);
  }
  return byPaper;
}

function entry(id: string, text: string): HTMLElement {
  return h("li", {}, h("a", { href: `#${id}` }, text));
}

/** Marks the section that is at the top of the window. */
function follow(nav: HTMLElement, sections: HTMLElement[]): void {
  const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const update = () => {
    const reached = sections.filter((each) => each.getBoundingClientRect().top < 120);
    const here = reached[reached.length - 1] ?? sections[0];
    for (const [id, link] of links) {
      if (id === here?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", update, { passive: true });
  update();
}

export function contents(report: Report, sections: HTMLElement[]): HTMLElement {
  const lists = [...groups(report)].map(([paper, experiments]) =>
    h(
      "li",
      {},
      h(
        "span",
        { class: "paper" },
        paper || "Others",
        h("small", {}, papers[paper] ?? ""),
      ),
      h("ul", {}, ...experiments.map((each) => entry(idOf(each), each.experiment))),
    ));
  const list = h(
    "details",
    { class: "contents-list" },
    h("summary", {}, "Contents"),
    h("ul", {}, entry("overview", "Overview"), ...lists),
  );
  const wide = matchMedia("(min-width: 1000px)");
  const fit = () => (list.open = wide.matches);
  wide.addEventListener("change", fit);
  fit();
  list.addEventListener("click", (event) => {
    if (!wide.matches && (event.target as Element).closest("a")) list.open = false;
  });
  const nav = h("nav", { class: "contents", "aria-label": "Contents" }, list);
  requestAnimationFrame(() => follow(nav, sections));
  return nav;
}
