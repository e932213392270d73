// The form that begins a run: the algorithm, its group, and the seed.
import { h } from "../shared/dom";
import type { Catalog, Entry, Option } from "./module";

/** The words after `nodes N ALGORITHM`, with what they take. */
const fields: Record<Option, { label: string; title: string; hint: string }> = {
  home: {
    label: "Home",
    title: "The server, the first holder of the token, or the root of the tree",
    hint: "0",
  },
  voting: { label: "Voting sets", title: "How Maekawa's voting sets are built", hint: "" },
  order: {
    label: "Order",
    title: "Largest number of children of a node of the tree: 2 to 8",
    hint: "2",
  },
  lazy: { label: "Lazy", title: "The tree is balanced lazily", hint: "" },
  clusters: {
    label: "Clusters",
    title: "The sizes of the clusters, such as 3 2",
    hint: "all in one",
  },
  sites: { label: "Sites", title: "How many clusters each site has, such as 2 1", hint: "none" },
  eps: { label: "Eps", title: "How many nearby requests may overtake distant ones", hint: "0" },
  replicas: { label: "Replicas", title: "How many nodes vote", hint: "as it suits" },
  ids: {
    label: "Names",
    title: "Ids of the nodes, in the order of the ring, such as 17 24 3",
    hint: "0 1 2 …",
  },
};

export class Setup {
  readonly element: HTMLFormElement;
  private readonly algorithm: HTMLSelectElement;
  private readonly nodes = h("input", {
    type: "number",
    min: 1,
    max: 40,
    value: 5,
    required: true,
  });
  private readonly seed = h("input", {
    type: "number",
    min: 0,
    max: 4294967295,
    value: 1,
    title: "Seed of the order in which messages arrive by themselves",
  });
  private readonly extra = h("span", { class: "extra" });
  private readonly about = h("p", { class: "about quiet" });
  private inputs = new Map<Option, HTMLInputElement | HTMLSelectElement>();

  constructor(
    private readonly catalog: Catalog,
    begin: (line: string) => void,
    seeded: (seed: number) => void,
  ) {
    this.algorithm = h(
      "select",
      { onchange: () => this.describe() },
      group(
        "Locks",
        catalog.locks.filter((entry) => !entry.specimen),
      ),
      group("Over an overlay", catalog.protocols),
      group(
        "Elections",
        catalog.elections.filter((entry) => !entry.specimen),
      ),
      group(
        "Broken on purpose",
        [...catalog.locks, ...catalog.elections].filter((entry) => entry.specimen),
      ),
    );
    this.seed.addEventListener("change", () => seeded(this.seed.valueAsNumber >>> 0));
    this.element = h(
      "form",
      { class: "setup", "aria-label": "A group" },
      label("Algorithm", this.algorithm),
      label("Nodes", this.nodes),
      this.extra,
      label("Seed", this.seed),
      h("button", { class: "primary" }, "Begin"),
      this.about,
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      begin(this.line());
    });
    this.describe();
  }

  get entry(): Entry {
    return this.find(this.algorithm.value)!;
  }

  find(name: string): Entry | undefined {
    return Object.values(this.catalog)
      .flat()
      .find((entry: Entry) => entry.name === name);
  }

  /** Shows the group of a run. */
  show(line: string, seed: number): void {
    this.seed.valueAsNumber = seed;
    const [, nodes, name, ...words] = line.split(" ");
    if (!name || !this.find(name)) return;
    this.nodes.value = nodes;
    this.algorithm.value = name;
    this.describe(false);
    const text = words.join(" ");
    for (const [option, input] of this.inputs) {
      const found = new RegExp(`\\b${option}((?: (?:\\d+|grid|plane))*)`).exec(text);
      if (input.type === "checkbox") (input as HTMLInputElement).checked = found !== null;
      else input.value = found?.[1].trim() ?? "";
    }
  }

  /** The command that begins the run. */
  private line(): string {
    const words: string[] = [];
    for (const [option, input] of this.inputs) {
      if (input.type === "checkbox")
        words.push(...((input as HTMLInputElement).checked ? [option] : []));
      else if (input.value.trim() !== "") words.push(option, ...input.value.trim().split(/[\s,]+/));
    }
    return ["nodes", this.nodes.value, this.algorithm.value, ...words].join(" ");
  }

  /** Shows fields and words for the chosen algorithm; if `usual`, with a group that suits it. */
  private describe(usual = true): void {
    const { entry } = this;
    this.inputs = new Map(entry.options.map((option) => [option, input(option)]));
    this.extra.replaceChildren(
      ...[...this.inputs].map(([option, each]) => label(fields[option].label, each)),
    );
    const cost = entry.messages ? `messages: ${entry.messages}` : "";
    const promise = entry.specimen ? `breaks ${entry.caughtBy || "something"}` : "";
    this.about.textContent = [entry.family, entry.source, cost, promise]
      .filter(Boolean)
      .join(" · ");
    if (usual) this.suit(entry);
  }

  private suit(entry: Entry): void {
    const { clusters, eps, nodes } = entry.trap;
    const set = (option: Option, value: string) => {
      const found = this.inputs.get(option);
      if (found) found.value = value;
    };
    if (entry.specimen && clusters.length > 0) {
      this.nodes.valueAsNumber = clusters.reduce((sum, size) => sum + size, 0);
      set("clusters", clusters.join(" "));
      if (eps > 0) set("eps", String(eps));
    } else if (entry.specimen) {
      this.nodes.valueAsNumber = Math.max(nodes, 2);
    } else if (this.inputs.has("clusters")) {
      this.nodes.valueAsNumber = 6;
      set("clusters", "3 3");
      set("eps", "1");
    }
  }
}

function group(name: string, entries: Entry[]): HTMLOptGroupElement {
  return h(
    "optgroup",
    { label: name },
    ...entries.map((entry) => h("option", { value: entry.name }, entry.name)),
  );
}

function label(text: string, input: HTMLElement): HTMLLabelElement {
  return h("label", {}, h("span", {}, text), input);
}

function input(option: Option): HTMLInputElement | HTMLSelectElement {
  const { title, hint } = fields[option];
  if (option === "lazy") return h("input", { type: "checkbox", title });
  if (option === "voting")
    return h(
      "select",
      { title },
      h("option", { value: "" }, "as it suits"),
      h("option", {}, "grid"),
      h("option", {}, "plane"),
    );
  const wide = option === "clusters" || option === "sites" || option === "ids";
  return h("input", {
    type: "text",
    inputmode: "numeric",
    title,
    placeholder: hint,
    class: wide ? "wide" : "narrow",
    pattern: wide ? "\\d+([ ,]+\\d+)*" : "\\d+",
  });
}
