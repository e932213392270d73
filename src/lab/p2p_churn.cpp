// Figure 5 of Muhammad, Cheema, Gupta 2005 (seed 002, section VI.C): messages against the number of
// nodes that come and go between rounds.
#include <fmt/core.h>

#include <cmath>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

/// The paper's figure ends at 200.
constexpr unsigned rates[] = {0, 100, 200, 1000, 3000};
const std::vector<Who> entrants{Sg1, T0, T1, Non};

struct Churned {
  std::string_view overlay;
  /// In the order of the rates.
  std::vector<Outcomes> outcomes;

  double change(Who who, std::size_t rate) const {
    return outcomes[rate][who].messages / outcomes[0][who].messages - 1;
  }
};

Churned run_churn(std::string_view overlay, const Seeds& seeds) {
  std::vector<sim::MultitudeOptions> worlds;
  for (unsigned rate : rates) {
    worlds.emplace_back().overlay = overlay;
    worlds.back().churn = rate;
  }
  return {overlay, run_all(worlds, entrants, seeds)};
}

void add_rows(Table& table, const Churned& churned) {
  for (std::size_t i = 0; i < std::size(rates); ++i) {
    std::vector<std::string> cells{std::string(churned.overlay), std::to_string(rates[i])};
    for (Who who : entrants) {
      const Outcome& outcome = churned.outcomes[i][who];
      cells.push_back(fmt::format("{:.0f}", outcome.messages));
      cells.push_back(fmt::format("{:+.1f}", 100 * churned.change(who, i)));
      cells.push_back(fmt::format("{:.0f}", outcome.handover));
    }
    table.row(std::move(cells));
  }
}

/// A rise to 100, and at most half of it more to 200; what is less than 3 % may be chance.
std::string_view verdict(double first, double then) {
  if (first > 0.01 && then >= 0 && then <= first / 2) return "holds";
  return std::abs(first) < 0.03 && std::abs(first + then) < 0.03 ? "no effect" : "does not hold";
}

std::string rise_remark(const Churned& churned) {
  std::string text = fmt::format(
      "\"A slightly higher increase in message overhead (at first), but then increase at a much "
      "lower rate\", {}:",
      churned.overlay);
  for (Who who : {T0, T1, Non}) {
    double first = churned.change(who, 1), then = churned.change(who, 2) - first;
    text += fmt::format(" {} {:+.1f} % to 100 and {:+.1f} % from there to 200, {};",
                        rivals[who].name, 100 * first, 100 * then, verdict(first, then));
  }
  text.back() = '.';
  return text;
}

std::vector<Banded> bands(const Churned& churned) {
  std::vector<Banded> bands;
  for (Who who : entrants)
    bands.push_back({fmt::format("{} at churn 3000 / 0", rivals[who].name),
                     1 + churned.change(who, std::size(rates) - 1),
                     {0.9, 1.1}});
  return bands;
}

}  // namespace

Findings p2p_churn(const Seeds& seeds) {
  std::vector<std::string> columns{"overlay", "churn"};
  for (Who who : entrants)
    for (std::string_view what : {"", " %", " moved"})
      columns.push_back(std::string(rivals[who].name).append(what));
  Findings findings{
      fmt::format(
          "Figure 5: 6500 nodes, 65 resources with 10 replicas each, 20 rounds of 20 requests. "
          "Between rounds half of the\nchurn leave and as many come; nobody who has asked leaves. "
          "The overlay is repaired at once and for nothing.\nWho leaves, or loses a key, hands "
          "over what it knows of its locks: these messages are apart (moved).\n{}",
          reading),
      Table(columns),
      {}};
  for (std::string_view overlay : overlays) {
    Churned churned = run_churn(overlay, seeds);
    add_rows(findings.table, churned);
    findings.remarks.push_back(rise_remark(churned));
    if (overlay == overlays[0]) findings.remarks.push_back(band_remark(bands(churned)));
  }
  findings.remarks.emplace_back(
      "What the overlay itself would send to repair its tables is not counted; it would rise with "
      "the churn. Nodes that crash would need leases, which the papers do not have.");
  return findings;
}

}  // namespace conch::lab
