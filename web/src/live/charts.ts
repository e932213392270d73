// Entries of the last minutes as a line, and waits of the last minute as bars.
import { area, line, max, scaleLinear } from "d3";
import { h } from "../shared/dom";
import { type History, quantile, type Sample } from "./history";
import { svg } from "./svg";
import { countText, durationText, rateText } from "./words";

/** The chart shows the shortest of these that all samples fit into. */
const spans_s = [30, 60, 120, 300];

const agoText = (seconds: number) => (seconds < 60 ? `−${seconds} s` : `−${seconds / 60} min`);

/** The width of a bar's name, with the space around it. */
const name_px = 46;

/** The smallest round number that is at least `value`. */
function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((bound) => bound >= value)!;
}

export class RateChart {
  readonly element: HTMLElement;
  private readonly picture = svg("svg", { class: "chart", role: "img" });

  constructor() {
    this.element = h(
      "section",
      { class: "panel chart-panel", "aria-labelledby": "rates-title" },
      h(
        "header",
        {},
        h("h2", { id: "rates-title" }, "Entries a second"),
        h(
          "p",
          { class: "legend" },
          h("span", { class: "key entries-key" }, "of the group"),
          h("span", { class: "key handovers-key" }, "after another member's"),
        ),
      ),
      h("div", { class: "chart-box" }, this.picture),
    );
  }

  draw(history: History) {
    const width = Math.max(this.picture.clientWidth, 120);
    const height = Math.max(this.picture.clientHeight, 60);
    const floor = height - 18;
    const samples = history.samples;
    const now = history.last?.at ?? 0;
    const highest = ceiling(max(samples, (each) => Math.max(each.entries, each.handovers)) ?? 1);
    const seen_s = (now - (samples[0]?.at ?? now)) / 1000;
    const span_s = spans_s.find((span) => span >= seen_s) ?? 300;
    const x = scaleLinear([now - span_s * 1000, now], [0, width]);
    const y = scaleLinear([0, highest], [floor, 4]);
    const path = (value: (each: Sample) => number) =>
      line<Sample>((each) => x(each.at), (each) => y(value(each)))(samples) ?? "";
    const filled = area<Sample>((each) => x(each.at), y(0), (each) => y(each.entries));
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.replaceChildren(
      ...[0, 0.5, 1].map((part) =>
        svg("path", { class: "grid", d: `M 0 ${y(part * highest)} H ${width}` }),
      ),
      svg("path", { class: "entries-area", d: filled(samples) ?? "" }),
      svg("path", { class: "entries-line", d: path((each) => each.entries) }),
      svg("path", { class: "handovers-line", d: path((each) => each.handovers) }),
      svg("text", { class: "tick", x: 2, y: 16 }, `${rateText(highest)}/s`),
      ...[1, 0.5].map((part) => {
        const place = { class: "tick", x: 2 + width * (1 - part), y: height - 4 };
        return svg("text", place, agoText(part * span_s));
      }),
      svg("text", { class: "tick end", x: width - 2, y: height - 4 }, "now"),
    );
    this.picture.setAttribute("aria-label", this.described(history, highest));
  }

  private described(history: History, highest: number): string {
    const last = history.last;
    if (!last) return "nothing yet";
    return (
      `${rateText(last.entries)} entries per second in the group, ${rateText(last.handovers)} ` +
      `of them after another member's; the peak of the last minutes is below ${rateText(highest)}`
    );
  }
}

export class WaitChart {
  readonly element: HTMLElement;
  private readonly bars = h("div", { class: "bars", "aria-hidden": "true" });
  private readonly text = h("p", { class: "quantiles" });

  constructor() {
    this.element = h(
      "section",
      { class: "panel chart-panel", "aria-labelledby": "waits-title" },
      h("header", {}, h("h2", { id: "waits-title" }, "Waits here, last minute"), this.text),
      this.bars,
    );
  }

  draw(history: History, bounds: number[]) {
    const counts = history.waits();
    const total = counts.reduce((sum, count) => sum + count, 0);
    const text = (part: number) => {
      const bound = quantile(counts, bounds, part);
      if (bound === null) return "";
      return bound === Infinity ? "over a minute" : `≤ ${durationText(bound)}`;
    };
    const none = "no entries";
    const words = `half ${text(0.5)} · 99 % ${text(0.99)} · of ${countText(total)}`;
    this.text.textContent = total === 0 ? none : words;
    const most = Math.max(1, ...counts);
    while (this.bars.childElementCount < counts.length)
      this.bars.append(h("div", { class: "bar" }, h("i"), h("span")));
    // Only every few bars have a name, so that names do not touch.
    const apart = Math.ceil((name_px * counts.length) / (this.bars.clientWidth || 1));
    const every = Math.max(3, apart);
    const last = counts.length - 1;
    counts.forEach((count, i) => {
      const bar = this.bars.children[i] as HTMLElement;
      (bar.firstChild as HTMLElement).style.height = count ? `${4 + (92 * count) / most}%` : "0";
      const label = i < bounds.length ? durationText(bounds[i]) : "more";
      const named = i === last || (i % every === every - 1 && last - i >= apart);
      bar.lastChild!.textContent = named ? label.replace(" ", "\u2009") : "";
      bar.title = `${countText(count)} waited at most ${label}`;
    });
  }
}
