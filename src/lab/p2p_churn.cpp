// Figure 5 of Muhammad, Cheema, Gupta 2005 (section VI.C): messages against the number of nodes
// that join or leave between rounds.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

const std::vector<Who> entrants{Sg1, T0, T1, Non};

struct Churned {
  std::string_view overlay;
  std::vector<unsigned> rates;
  /// In the order of the rates.
  std::vector<Outcomes> outcomes;

  /// The change of the messages in percent, against the same requests without churn.
  double change(Who who, std::size_t rate) const {
    return 100 * (outcomes[rate][who].messages.mean() / outcomes[0][who].messages.mean() - 1);
  }
};

Churned run_churn(std::string_view overlay, const Setup& setup) {
  std::vector<sim::OverlayScaleOptions> worlds;
  std::vector<unsigned> rates = setup.numbers<unsigned>("churn");
  if (rates.front() != 0) rates.insert(rates.begin(), 0);
  for (unsigned rate : rates) {
    sim::OverlayScaleOptions& world = worlds.emplace_back(world_of(setup));
    world.overlay = overlay;
    world.churn = rate;
  }
  return {overlay, rates, run_all(worlds, entrants, setup.seeds)};
}

void add_rows(Table& table, const Churned& churned) {
  for (std::size_t i = 0; i < churned.rates.size(); ++i) {
    std::vector<std::string> cells{std::string(churned.overlay), std::to_string(churned.rates[i])};
    for (Who who : entrants) {
      const ProtocolMeans& outcome = churned.outcomes[i][who];
      cells.push_back(fmt::format("{:.0f}", outcome.messages.mean()));
      cells.push_back(fmt::format("{:+.1f}", churned.change(who, i)));
      cells.push_back(fmt::format("{:.0f}", outcome.handover));
    }
    table.row(std::move(cells));
  }
}

/// The paper's figure ends at `first_part`; up to there, less than `rise_least` percent does not
/// count as a rise. Over ten seeds a change is known to within 0.4 %, so a smaller rise would be
/// noise.
constexpr unsigned first_part = 200;
constexpr double rise_least = 2;

/// Whether messages rise up to `first_part`, and beyond it at less than half of that rate.
bool flattens(const Churned& churned, Who who, std::size_t turn) {
  double first = churned.change(who, turn);
  double later = churned.change(who, churned.rates.size() - 1) - first;
  double rate = first / first_part;
  return first >= rise_least && later / (churned.rates.back() - first_part) < rate / 2;
}

std::optional<PaperClaim> rise_claim(const Churned& churned) {
  auto turn = std::find(churned.rates.begin(), churned.rates.end(), first_part);
  if (turn == churned.rates.end() || turn + 1 == churned.rates.end()) return std::nullopt;
  std::string ours;
  std::size_t holding = 0;
  for (Who who : {T0, T1, Non}) {
    holding += flattens(churned, who, static_cast<std::size_t>(turn - churned.rates.begin()));
    ours += std::string(rivals[who].name);
    for (std::size_t i = 1; i < churned.rates.size(); ++i)
      ours += fmt::format("{} {:+.1f} % at {}", i == 1 ? "" : ",", churned.change(who, i),
                          churned.rates[i]);
    ours += "; ";
  }
  return PaperClaim{
      "Muhammad 2005, figure 5",
      fmt::format("The more nodes come and go, the more messages: a slight rise at first, "
                  "and then at a much lower rate ({}).",
                  title(churned.overlay)),
      "", ours + fmt::format("less than {:.0f} % at {} counts as none.", rise_least, first_part),
      verdict_of(holding, 3)};
}

/// Draws rates up to `most`, where the paper's figure ends.
Figure draw(const Churned& churned, std::string_view of, unsigned most) {
  Figure figure{
      fmt::format("Messages while up to {} nodes come and go, {}", most, title(churned.overlay)),
      std::string(of),
      Shape::lines,
      {"nodes that leave or come in a round", "nodes"},
      {"messages in all rounds", "messages"}};
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
                     1 + churned.change(who, churned.rates.size() - 1) / 100,
                     {0.9, 1.1}});
  return bands;
}

}  // namespace

ExperimentResult p2p_churn(const Setup& setup) {
  std::vector<std::string> columns{"overlay", "churn"};
  for (Who who : entrants)
    for (std::string_view what : {"", " %", " moved"})
      columns.push_back(std::string(rivals[who].name).append(what));
  ExperimentResult findings{
      fmt::format(
          "Figure 5: {}. "
          "Between rounds half of the\nchurn leave and as many come; nobody who has asked leaves. "
          "The overlay is repaired at once and for nothing.\nWho leaves, or loses a key, hands "
          "over what it knows of its locks: these messages are apart (moved).\n{}",
          print_world(setup), reading),
      Table(columns)};
  for (std::string_view overlay : overlays) {
    Churned churned = run_churn(overlay, setup);
    add_rows(findings.table, churned);
    if (std::optional<PaperClaim> claim = rise_claim(churned)) findings.claims.push_back(*claim);
    findings.figures.push_back(draw(churned, "Muhammad 2005, figure 5", first_part));
    findings.figures.push_back(
        draw(churned, "Muhammad 2005 (short), figure 5", churned.rates.back()));
    if (overlay == overlays[0] && setup.changed.empty())
      findings.remarks.push_back(band_remark(bands(churned)));
  }
  findings.remarks.emplace_back(
      "What the overlay itself would send to repair its tables is not counted; it would rise with "
      "the churn. Nodes that crash would need leases, which the papers do not have.");
  return findings;
}

}  // namespace conch::lab
