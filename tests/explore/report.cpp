#include "explore/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace conch::explore {

void Tally::add(const TaskResult& outcome, double took_s) {
  ++tasks;
  spent_s += took_s;
  runs += outcome.runs;
  messages += outcome.messages;
  for (const auto& [what, count] : outcome.sometimes) sometimes[what] += count;
  if (outcome.ending == Ending::unable) unable = outcome.what;
  if (is_found(outcome.ending)) found += std::max<std::size_t>(1, outcome.failed_seeds.size());
}

namespace {

std::string never_seen(const Tally& tally) {
  std::string text;
  for (const auto& [what, count] : tally.sometimes)
    if (count == 0) text += (text.empty() ? "" : "; ") + what;
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string remark_of(const Tally& tally) {
  if (!tally.unable.empty()) return "not run: " + first_line(tally.unable);
  if (tally.tasks == 0) return "not run: out of time";
  std::string never = never_seen(tally);
  return never.empty() ? "" : "never: " + never;
}

}  // namespace

std::string table_of(const std::vector<Tally>& tallies) {
  std::size_t width = 0;
  for (const Tally& tally : tallies) width = std::max(width, tally.family.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>13} {:>7} {:>6}  {}\n", "family", width, "runs",
                                 "messages", "s", "found", "");
  Tally sum{.family = "all"};
  for (const Tally& tally : tallies) {
    text += fmt::format("{:<{}} {:>10} {:>13} {:>7.0f} {:>6}  {}\n", tally.family, width,
                        tally.runs, tally.messages, tally.spent_s, tally.found, remark_of(tally));
    sum.runs += tally.runs;
    sum.messages += tally.messages;
    sum.spent_s += tally.spent_s;
    sum.found += tally.found;
  }
  return text + fmt::format("{:<{}} {:>10} {:>13} {:>7.0f} {:>6}\n", sum.family, width, sum.runs,
                            sum.messages, sum.spent_s, sum.found);
}

std::string list_of(const std::vector<FirstFailure>& findings) {
  std::string text;
  for (const FirstFailure& finding : findings) {
    text += fmt::format("FOUND: {}, {}, {} time{}\n  {}\n", finding.family, finding.kind,
                        finding.times, finding.times == 1 ? "" : "s", finding.what);
    text += fmt::format("  repeat: {}\n", finding.command);
    if (finding.drawn != finding.command) text += fmt::format("  drawn:  {}\n", finding.drawn);
    if (finding.is_gone) text += "  run again, it found nothing\n";
    if (!finding.file.empty()) text += fmt::format("  kept:   {}\n", finding.file);
  }
  return text;
}

}  // namespace conch::explore
