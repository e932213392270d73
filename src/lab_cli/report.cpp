#include "lab_cli/report.hpp"

#include <fmt/core.h>

namespace conch::lab_cli {

using nlohmann::ordered_json;

ordered_json to_json(const sim::Options& options, const sim::Result& result) {
  const sim::MetricsReport& report = result.report;
  ordered_json json;
  json["algorithm"] = options.algorithm;
  json["nodes"] = options.nodes();
  json["seed"] = options.seed;
  json["requests"] = report.requests;
  json["entries"] = report.entries;
  json["withdrawn"] = report.withdrawn;
  json["messages"] = {{"total", report.messages.total},   {"local", report.messages.local},
                      {"global", report.messages.global}, {"idle", report.messages.idle},
                      {"bytes", report.messages.bytes},   {"by_type", report.messages.by_type}};
  json["application_messages"] = report.application_messages;
  json["messages_per_entry"] = report.messages_per_entry;
  json["wait_s"] = {{"mean", report.wait_s.mean}, {"std", report.wait_s.std},
                    {"p50", report.wait_s.p50},   {"p95", report.wait_s.p95},
                    {"p99", report.wait_s.p99},   {"max", report.wait_s.max}};
  if (const auto& visits = result.visits) {
    json["wait_s"]["local"] = report.wait_local_s;
    json["wait_s"]["remote"] = report.wait_remote_s;
    json["visits"] = {{"count", visits->count}, {"mean", visits->mean()}, {"max", visits->longest}};
  }
  json["client_delay_s"] = report.client_delay_s;
  json["sync_delay_s"] = report.sync_delay_s;
  json["throughput_per_s"] = report.throughput_per_s;
  if (const auto& sharing = result.sharing)
    json["sharing"] = {{"reads", sharing->reads},
                       {"writes", sharing->writes},
                       {"inside_max", sharing->inside_max},
                       {"readers_together", sharing->readers_together},
                       {"ranges_together", sharing->ranges_together},
                       {"readers_behind_writers", sharing->readers_behind_writers},
                       {"ranges_overlapped", sharing->ranges_overlapped}};
  json["fairness"] = report.fairness;
  json["load"] = {{"mean", report.load_mean}, {"max", report.load_max}};
  json["duration_s"] = report.duration_s;
  json["properties"] = {{"ME1", word(result.mutual_exclusion)},
                        {"ME2", word(result.progress)},
                        {"ME3", word(result.order)}};
  if (result.structure != sim::Verdict::not_promised) {
    json["properties"]["structure"] = word(result.structure);
    json["structure_checks"] = result.structure_checks;
  }
  if (result.violation)
    json["violation"] = {{"property", word(result.violation->property)},
                         {"what", result.violation->what},
                         {"at_s", seconds_of(result.ended.time_since_epoch())}};
  json["trace_hash"] = result.trace_hash;
  return json;
}

namespace {

ordered_json mean_value(const std::vector<const ordered_json*>& values) {
  const ordered_json& first = *values.front();
  if (first.is_number()) {
    double sum = 0;
    for (const ordered_json* value : values) sum += value->get<double>();
    return sum / static_cast<double>(values.size());
  }
  for (const ordered_json* value : values)
    if (*value != first) return *value == "held" ? first : *value;
  return first;
}

ordered_json mean_object(const std::vector<const ordered_json*>& objects) {
  ordered_json mean;
  for (const ordered_json* object : objects) {
    for (const auto& [key, unused] : object->items()) {
      if (mean.contains(key)) continue;
      std::vector<const ordered_json*> values;
      static const ordered_json zero = 0;
      for (const ordered_json* each : objects)
        values.push_back(each->contains(key) ? &(*each)[key] : &zero);
      mean[key] = (*object)[key].is_object() ? mean_object(values) : mean_value(values);
    }
  }
  return mean;
}

}  // namespace

ordered_json mean_of(const std::vector<ordered_json>& runs) {
  std::vector<ordered_json> comparable = runs;
  for (ordered_json& run : comparable)
    for (const char* key : {"algorithm", "seed", "trace_hash", "violation"}) run.erase(key);
  std::vector<const ordered_json*> objects;
  for (const ordered_json& run : comparable) objects.push_back(&run);
  return mean_object(objects);
}

void print_line(std::string_view label, const std::string& value) {
  fmt::print("  {:<13} {}\n", label, value);
}

std::string print_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string to_text(const sim::Options& options, const sim::Result& result) {
  const sim::MetricsReport& report = result.report;
  std::string types;
  for (const auto& [name, count] : report.messages.by_type)
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", name, count);
  std::string text;
  auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<13} {}\n", label, value);
  };
  text +=
      fmt::format("{}, {} nodes, seed {}: {} entries in {}\n", options.algorithm, options.nodes(),
                  options.seed, report.entries, print_seconds(report.duration_s));
  if (report.withdrawn > 0) line("withdrawn", std::to_string(report.withdrawn));
  line("messages", fmt::format("{} ({} local, {} global), {:.3g} per entry, {} bytes",
                               report.messages.total, report.messages.local, report.messages.global,
                               report.messages_per_entry, report.messages.bytes));
  if (report.messages.idle > 0)
    line("", fmt::format("{} of them while no node wanted the lock", report.messages.idle));
  line("by type", types.empty() ? "none" : types);
  line("wait",
       fmt::format("mean {}, std {}, p50 {}, p99 {}, max {}", print_seconds(report.wait_s.mean),
                   print_seconds(report.wait_s.std), print_seconds(report.wait_s.p50),
                   print_seconds(report.wait_s.p99), print_seconds(report.wait_s.max)));
  if (const auto& visits = result.visits) {
    line("", fmt::format("mean {} after an entry of the same cluster, {} after one of another",
                         print_seconds(report.wait_local_s), print_seconds(report.wait_remote_s)));
    line("visits", fmt::format("{} to a cluster while others waited, {:.3g} entries, at most {}",
                               visits->count, visits->mean(), visits->longest));
  }
  line("sync delay", report.sync_delays > 0 ? print_seconds(report.sync_delay_s) : "not seen");
  line("client delay", report.client_delays > 0 ? print_seconds(report.client_delay_s)
                                                : "not seen: the lock was never idle");
  line("throughput", fmt::format("{:.4g} entries/s", report.throughput_per_s));
  if (const auto& sharing = result.sharing)
    line("sharing", fmt::format("{} read, {} wrote, at most {} were inside together",
                                sharing->reads, sharing->writes, sharing->inside_max));
  line("fairness", fmt::format("{:.3f} (Jain's index of the nodes' mean waits)", report.fairness));
  line("load",
       fmt::format("{:.4g} messages a node, at most {}", report.load_mean, report.load_max));
  line("properties", fmt::format("ME1 {}, ME2 {}, ME3 {}", word(result.mutual_exclusion),
                                 word(result.progress), word(result.order)));
  if (result.structure != sim::Verdict::not_promised)
    line("structure",
         fmt::format("{}, checked {} times", word(result.structure), result.structure_checks));
  return text;
}

}  // namespace conch::lab_cli
