// The JSON for the page: the catalogue and the current state.
#include "catalog/classes.hpp"
#include "core/print.hpp"
#include "film/film.hpp"
#include "film/json.hpp"
#include "playground/playground.hpp"
#include "sim/scripted_world.hpp"

namespace conch::playground {

namespace {

using film::Object;

std::string_view name_of(sim::Phase phase) {
  switch (phase) {
    case sim::Phase::absent: return "absent";
    case sim::Phase::idle: return "idle";
    case sim::Phase::waiting: return "waiting";
    case sim::Phase::cancelling: return "cancelling";
    case sim::Phase::inside: return "inside";
    case sim::Phase::joining: return "joining";
    case sim::Phase::leaving: return "leaving";
    case sim::Phase::left: return "left";
    case sim::Phase::crashed: return "crashed";
  }
  return "?";
}

/// The capabilities that matter in a scenario.
void append_capabilities(std::string& out, const Capabilities& can) {
  Object(out)
      .flag("token", can.token)
      .flag("causal", can.causal)
      .flag("dynamic", can.dynamic && !can.routed)
      .flag("suspecting", can.suspecting)
      .flag("shared", can.shared)
      .flag("elects", can.elects)
      .flag("restarts", can.restarts)
      .flag("recovers", !can.elects && !can.routed);
}

/// The options after `nodes N ALGORITHM` that apply to this algorithm.
std::vector<std::string_view> options_of(const CatalogEntry& entry) {
  std::vector<std::string_view> options;
  if (!entry.can.elects && !entry.can.routed) options.push_back("home");
  if (entry.algorithm == Maekawa::about.name || entry.algorithm == MaekawaTextbook::about.name)
    options.push_back("voting");
  if (entry.algorithm == Elmp::about.name) options.push_back("order");
  if (entry.algorithm == Elmp::about.name && !entry.preset.balance) options.push_back("lazy");
  if (entry.about.minds_clusters) options.insert(options.end(), {"clusters", "sites"});
  if (entry.about.has_eps) options.push_back("eps");
  if (entry.can.routed) options.push_back("replicas");
  if (entry.can.elects) options.push_back("ids");
  return options;
}

void append_trap(std::string& out, const Trap& trap) {
  Object object(out);
  object.number("nodes", trap.nodes).number("eps", trap.eps);
  std::vector<unsigned> clusters;
  for (unsigned size : trap.clusters)
    if (size > 0) clusters.push_back(size);
  object.list("clusters", clusters, [&](unsigned size) { out += std::to_string(size); });
}

void append_entry(std::string& out, const CatalogEntry& entry) {
  const About& about = entry.about;
  Object object(out);
  object.text("name", about.name)
      .text("algorithm", entry.algorithm)
      .text("family", about.family)
      .text("source", about.source)
      .text("messages", about.messages)
      .flag("specimen", !about.is_sound())
      .flag("restless", about.restless)
      .flag("fifo", about.needs_fifo || about.leave_needs_fifo)
      .text("caughtBy", about.caught_by)
      .member("trap", [&] { append_trap(out, about.caught_in); })
      .member("can", [&] { append_capabilities(out, entry.can); })
      .list("options", options_of(entry),
            [&](std::string_view option) { film::append_quoted(out, option); });
}

void append_member(std::string& out, const sim::Sight::Member& member) {
  Object object(out);
  object.number("node", member.node)
      .text("phase", name_of(member.phase))
      .flag("token", member.token)
      .text("state", member.state)
      .flag("participant", member.participant)
      .flag("retired", member.retired)
      .list("armed", member.armed, [&](TimerId timer) { out += conch::print(timer); });
  if (member.elected) object.number("elected", *member.elected);
}

}  // namespace

std::string catalog() {
  std::string out;
  {
    Object object(out);
    auto append = [&](const CatalogEntry& entry) { append_entry(out, entry); };
    object.list("locks", conch::catalog(), append)
        .list("protocols", protocols(), append)
        .list("elections", elections(), append);
  }
  return out;
}

std::string Playground::sight() const {
  if (scenario_->world() == nullptr) return "null";
  sim::Sight sight = scenario_->world()->sight();
  std::string out;
  {
    Object object(out);
    auto append_node = [&](sim::Node node) { out += std::to_string(node); };
    object.text("algorithm", sight.entry->about.name)
        .text("deadlock", sight.deadlock.value_or(""))
        .list("members", sight.members, [&](const auto& member) { append_member(out, member); })
        .list("flight", sight.in_flight,
              [&](const sim::Sight::Message& message) {
                Object(out)
                    .number("from", message.from)
                    .number("to", message.to)
                    .text("kind", message.kind)
                    .text("text", message.text)
                    .flag("parted", message.parted)
                    .flag("held", held(message));
              })
        .list("verdicts", sight.verdicts,
              [&](const sim::Sight::Verdict& verdict) {
                Object(out)
                    .text("property", word(verdict.property))
                    .text("text", verdict.text)
                    .flag("broken", verdict.broken);
              })
        .list("left", sight.left, append_node)
        .list("right", sight.right, append_node);
    if (sight.newcomer) object.number("newcomer", *sight.newcomer);
  }
  return out;
}

}  // namespace conch::playground
