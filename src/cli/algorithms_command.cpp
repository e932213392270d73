#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"
#include "core/table.hpp"

namespace conch::cli {
namespace {

std::string promises(const About& about) {
  if (!about.is_sound()) return "breaks " + std::string(about.caught_by);
  std::string text = "ME1";
  if (about.promises_progress) text += " ME2";
  if (about.promises_order) text += " ME3";
  return text;
}

std::string assumptions(const CatalogEntry& entry) {
  if (entry.about.needs_fifo) return "reliable FIFO channels";
  bool to_leave = entry.can.dynamic && entry.about.leave_needs_fifo;
  return to_leave ? "reliable channels, FIFO to leave" : "reliable channels";
}

std::string capabilities(const CatalogEntry& entry) {
  std::string text = "cancel";
  if (entry.can.causal) text += ", stamps";
  if (entry.can.dynamic) text += ", join and leave";
  if (entry.can.suspecting) text += ", crashed clients";
  if (entry.can.shared) text += ", readers and ranges";
  return text;
}

/// What an election promises about its coordinator.
std::string coordinator(const CatalogEntry& entry) {
  if (!entry.about.is_sound()) return "breaks " + std::string(entry.about.caught_by);
  return entry.preset.manners == Manners::polite ? "one that is up" : "the largest identifier";
}

void print_elections() {
  Table table({"election", "messages", "turnaround", "elects", "assumes", "survives"});
  for (std::size_t column = 1; column < 6; ++column) table.align_left(column);
  for (const CatalogEntry& entry : elections())
    table.row({std::string(entry.about.name), std::string(entry.about.messages),
               std::string(entry.about.client_delay), coordinator(entry), assumptions(entry),
               entry.can.restarts ? "crashes and restarts" : "nothing"});
  fmt::print("\n{}\n", table.text());
  fmt::print(
      "T is the timeout of an answer: elections with timeouts assume that messages take a\n"
      "bounded time. A coordinator may retire.\n");
}

void print_protocols() {
  Table table({"over an overlay", "messages per entry and exit", "client delay", "sync delay"});
  for (std::size_t column = 1; column < 4; ++column) table.align_left(column);
  for (const CatalogEntry& entry : protocols())
    table.row({std::string(entry.about.name), std::string(entry.about.messages),
               std::string(entry.about.client_delay), std::string(entry.about.sync_delay)});
  fmt::print("\n{}\n", table.text());
  fmt::print(
      "n is the number of a lock's replicas. They run on Pastry and on Chord, know no members and\n"
      "need no register; all promise ME1 and ME2 (docs/overlay.md).\n");
}

void print_table() {
  Table table({"name", "family", "messages per entry and exit", "client delay", "sync delay",
               "promises", "assumes", "can"});
  for (std::size_t column = 1; column < 8; ++column) table.align_left(column);
  for (const CatalogEntry& entry : catalog()) {
    const About& about = entry.about;
    table.row({std::string(about.name), std::string(about.family), std::string(about.messages),
               std::string(about.client_delay), std::string(about.sync_delay), promises(about),
               assumptions(entry), capabilities(entry)});
  }
  fmt::print("{}\n", table.text());
  fmt::print(
      "Delays are in message times, N is the number of nodes, K the size of a voting set.\n");
  fmt::print(
      "ME1: at most one holder. ME2: every request is granted. ME3: in happened-before order.\n"
      "Those that break one are specimens, kept for what they teach; nothing runs them for "
      "real.\n");
  print_elections();
  print_protocols();
  fmt::print("\nsources\n");
  for (std::span<const CatalogEntry> family : {catalog(), elections(), protocols()})
    for (const CatalogEntry& entry : family)
      fmt::print("  {:<34} {}\n", entry.about.name, entry.about.source);
}

nlohmann::ordered_json elections_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CatalogEntry& entry : elections()) {
    const About& about = entry.about;
    list.push_back({{"name", about.name},
                    {"family", about.family},
                    {"source", about.source},
                    {"messages", about.messages},
                    {"turnaround", about.client_delay},
                    {"promises", coordinator(entry)},
                    {"assumes", assumptions(entry)},
                    {"for_real_use", about.is_sound()}});
    if (entry.is_preset()) list.back()["preset_of"] = entry.algorithm;
  }
  return list;
}

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<CatalogEntry> entries(catalog().begin(), catalog().end());
  entries.insert(entries.end(), protocols().begin(), protocols().end());
  for (const CatalogEntry& entry : entries) {
    const About& about = entry.about;
    list.push_back({{"name", about.name},
                    {"family", about.family},
                    {"source", about.source},
                    {"messages", about.messages},
                    {"client_delay", about.client_delay},
                    {"sync_delay", about.sync_delay},
                    {"promises", promises(about)},
                    {"assumes", assumptions(entry)},
                    {"can", capabilities(entry)},
                    {"for_real_use", about.is_sound()}});
    if (entry.is_preset()) list.back()["preset_of"] = entry.algorithm;
  }
  for (const nlohmann::ordered_json& election : elections_json()) list.push_back(election);
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_algorithms_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand("algorithms", "List the algorithms and what they promise");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON array");
  command->callback([json] { *json ? print_json() : print_table(); });
}

}  // namespace conch::cli
