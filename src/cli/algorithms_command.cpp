#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"

namespace conch::cli {
namespace {

std::string promises(const About& about) {
  std::string text = "ME1";
  if (about.promises_progress) text += " ME2";
  if (about.promises_order) text += " ME3";
  return text;
}

std::string assumptions(const About& about) {
  return about.needs_fifo ? "reliable FIFO channels" : "reliable channels";
}

std::string capabilities(const CatalogEntry& entry) {
  std::string text = "cancel";
  if (entry.can.causal) text += ", stamps";
  if (entry.can.dynamic) text += ", join and leave";
  if (entry.can.suspecting) text += ", crashed clients";
  if (entry.about.use == Use::specimen) text += "; a specimen: not for real use";
  return text;
}

void print_table() {
  constexpr auto row = "{:<21} {:<10} {:<25} {:<13} {:<11} {:<11} {:<23} {}\n";
  fmt::print(row, "name", "family", "messages per entry+exit", "client delay", "sync delay",
             "promises", "assumes", "can");
  for (const CatalogEntry& entry : catalog()) {
    const About& about = entry.about;
    fmt::print(row, about.name, about.family, about.messages, about.client_delay, about.sync_delay,
               promises(about), assumptions(about), capabilities(entry));
  }
  fmt::print(
      "\nDelays are in message times, N is the number of nodes, K the size of a voting set.\n");
  fmt::print(
      "ME1: at most one holder. ME2: every request is granted. ME3: in happened-before "
      "order.\n\nsources\n");
  for (const CatalogEntry& entry : catalog())
    fmt::print("  {:<21} {}\n", entry.about.name, entry.about.source);
}

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CatalogEntry& entry : catalog()) {
    const About& about = entry.about;
    list.push_back({{"name", about.name},
                    {"family", about.family},
                    {"source", about.source},
                    {"messages", about.messages},
                    {"client_delay", about.client_delay},
                    {"sync_delay", about.sync_delay},
                    {"promises", promises(about)},
                    {"assumes", assumptions(about)},
                    {"can", capabilities(entry)},
                    {"for_real_use", about.use == Use::real}});
  }
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
