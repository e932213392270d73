// Figure 5 of Muhammad, Cheema, Gupta 2005 (section VI.C): messages against the number of
// nodes that come and go between rounds.
#include <fmt/core.h>

#include <cmath>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

/// The figure of the paper ends at 200, that of its short version at 3000.
std::vector<unsigned> rates_at(Scale scale) {
  return pick<std::vector<unsigned>>(scale, {0, 100, 200, 400}, {0, 100, 200, 3000},
                                     {0, 100, 200, 1000, 3000});
}
const std::vector<Who> entrants{Sg1, T0, T1, Non};

sim::Node nodes_at(Scale scale) { return scale == Scale::smoke ? 1000 : 6500; }

struct Churned {
  std::string_view overlay;
  std::vector<unsigned> rates;
  /// In their order.
  std::vector<Outcomes> outcomes;

  double change(Who who, std::size_t rate) const {
    return outcomes[rate][who].messages.mean() / outcomes[0][who].messages.mean() - 1;
  }
};

Churned run_churn(std::string_view overlay, const Setup& setup) {
  std::vector<sim::MultitudeOptions> worlds;
  std::vector<unsigned> rates = rates_at(setup.scale);
  for (unsigned rate : rates) {
    worlds.emplace_back().overlay = overlay;
    worlds.back().nodes = nodes_at(setup.scale);
    worlds.back().churn = rate;
  }
  return {overlay, rates, run_all(worlds, entrants, setup.seeds)};
}

void add_rows(Table& table, const Churned& churned) {
  for (std::size_t i = 0; i < churned.rates.size(); ++i) {
    std::vector<std::string> cells{std::string(churned.overlay), std::to_string(churned.rates[i])};
    for (Who who : entrants) {
      const Outcome& outcome = churned.outcomes[i][who];
      cells.push_back(fmt::format("{:.0f}", outcome.messages.mean()));
      cells.push_back(fmt::format("{:+.1f}", 100 * churned.change(who, i)));
      cells.push_back(fmt::format("{:.0f}", outcome.handover));
    }
    table.row(std::move(cells));
  }
}

/// A rise to 100, and at most half of it more to 200; what is less than 3 % may be chance.
Verdict verdict(double first, double then) {
  return judged(first > 0.01 && then >= 0 && then <= first / 2);
}

Claim rise_claim(const Churned& churned) {
  std::string ours;
  std::size_t holding = 0;
  for (Who who : {T0, T1, Non}) {
    double first = churned.change(who, 1), then = churned.change(who, 2) - first;
    bool chance = std::abs(first) < 0.03 && std::abs(first + then) < 0.03;
    holding += verdict(first, then) == Verdict::holds;
    ours += fmt::format("{}{} {:+.1f} % to 100 and {:+.1f} % from there to 200{}",
                        ours.empty() ? "" : "; ", rivals[who].name, 100 * first, 100 * then,
                        chance ? ", which may be chance" : "");
  }
  return {"Muhammad 2005, figure 5",
          fmt::format("The more nodes come and go, the more messages; steeper at first, then much "
                      "flatter ({}).",
                      title(churned.overlay)),
          "", ours + ".",
          holding == 3   ? Verdict::holds
          : holding == 0 ? Verdict::does_not_hold
                         : Verdict::in_part};
}

/// As far as the figure goes.
Figure draw(const Churned& churned, std::string_view of, unsigned most) {
  Figure figure{
      fmt::format("Messages while up to {} nodes come and go, {}", most, title(churned.overlay)),
      std::string(of),
      Shape::lines,
      {"nodes that leave or come in a round", "nodes"},
      {"messages in 20 rounds", "messages"}};
  for (std::size_t i = 0; i < churned.rates.size(); ++i)
    for (Who who : entrants)
      if (churned.rates[i] <= most)
        figure.at(rivals[who].name)
            .points.push_back(at(churned.rates[i], churned.outcomes[i][who].messages));
  return figure;
}

std::vector<Banded> bands(const Churned& churned) {
  std::vector<Banded> bands;
  for (Who who : entrants)
    bands.push_back({fmt::format("{} at churn {} / 0", rivals[who].name, churned.rates.back()),
                     1 + churned.change(who, churned.rates.size() - 1),
                     {0.9, 1.1}});
  return bands;
}

}  // namespace

Findings p2p_churn(const Setup& setup) {
  std::vector<std::string> columns{"overlay", "churn"};
  for (Who who : entrants)
    for (std::string_view what : {"", " %", " moved"})
      columns.push_back(std::string(rivals[who].name).append(what));
  Findings findings{
      fmt::format(
          "Figure 5: {} nodes, 65 resources with 10 replicas each, 20 rounds of 20 requests. "
          "Between rounds half of the\nchurn leave and as many come; nobody who has asked leaves. "
          "The overlay is repaired at once and for nothing.\nWho leaves, or loses a key, hands "
          "over what it knows of its locks: these messages are apart (moved).\n{}",
          nodes_at(setup.scale), reading),
      Table(columns)};
  for (std::string_view overlay : overlays) {
    Churned churned = run_churn(overlay, setup);
    add_rows(findings.table, churned);
    findings.claims.push_back(rise_claim(churned));
    findings.figures.push_back(draw(churned, "Muhammad 2005, figure 5", 200));
    findings.figures.push_back(
        draw(churned, "Muhammad 2005 (short), figure 5", churned.rates.back()));
    if (overlay == overlays[0]) findings.remarks.push_back(band_remark(bands(churned)));
  }
  findings.remarks.emplace_back(
      "What the overlay itself would send to repair its tables is not counted; it would rise with "
      "the churn. Nodes that crash would need leases, which the papers do not have.");
  return findings;
}

}  // namespace conch::lab
