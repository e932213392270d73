#include "check/counterexample.hpp"

#include "check/algorithm_system.hpp"
#include "core/print.hpp"
#include "sim/scenario.hpp"

namespace conch::check {

namespace {

std::string arrow(const PackedMessage& packet, Model& model) {
  return std::to_string(packet.from()) + " -> " + std::to_string(packet.to()) + " " +
         model.print(packet.message());
}

/// The line that names a step, above the lines with its consequences.
std::string headline(const Step& step, Model& model, const Setting& setting) {
  std::string node = std::to_string(step.node);
  std::string other = std::to_string(step.other);
  switch (step.kind) {
    case StepKind::request:
      return node + (setting.reads(step.node) ? " asks to read" : " requests");
    case StepKind::release: return node + " releases";
    case StepKind::cancel: return node + " cancels";
    case StepKind::deliver: return arrow(step.packet, model);
    case StepKind::timer: return node + "'s timer " + other + " fires";
    case StepKind::leave: return node + " leaves";
    case StepKind::join: return node + " joins through " + other;
    case StepKind::duplicate: return arrow(step.packet, model) + " is duplicated";
    case StepKind::lose: return arrow(step.packet, model) + " is lost";
    case StepKind::crash: return node + " crashes";
    case StepKind::suspect: return node + " suspects " + other;
    case StepKind::elect: return node + " begins an election";
    case StepKind::notice: return node + " notices that its coordinator has crashed";
    case StepKind::retire: return node + " retires";
    case StepKind::restart: return node + " restarts";
    case StepKind::tick: return "time passes";
  }
  return "?";
}

/// Calls f(number, step, before, after, taken) for every step.
template <class F>
void replay(AlgorithmSystem& system, const std::vector<Step>& steps, F&& f) {
  State state = system.initial();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    AlgorithmSystem::StepResult taken;
    State next;
    system.take(state, steps[i], next, taken);
    f(i, steps[i], state, next, taken);
    state = next;
  }
}

std::string consequences(Model& model, const State& before, const State& after,
                         const AlgorithmSystem::StepResult& taken) {
  std::string text;
  auto line = [&](const std::string& what) { text += "        " + what + "\n"; };
  for (Node node = 0; node < before.nodes(); ++node) {
    if (before.local(node) == after.local(node)) continue;
    bool left = after.local(node).phase() == Phase::gone;
    std::string changed = model.difference(before.local(node), after.local(node));
    if (!changed.empty() && !left) line(std::to_string(node) + ": " + changed);
    Phase was = before.local(node).phase();
    Phase is = after.local(node).phase();
    if (is == Phase::inside && was != is) line(std::to_string(node) + " enters");
  }
  if (taken.withdrew) line("the request is withdrawn");
  if (taken.joined) line("it has joined");
  if (taken.left) line("it has left");
  return text;
}

std::string verb(const Step& step, Model& model, const Setting& setting) {
  std::string node = std::to_string(step.node);
  std::string channel =
      std::to_string(step.packet.from()) + " -> " + std::to_string(step.packet.to());
  auto message = [&] {
    std::string text = model.print(step.packet.message());
    return channel + " " + text.substr(0, text.find('('));
  };
  switch (step.kind) {
    case StepKind::request: return "request " + node + (setting.reads(step.node) ? " read" : "");
    case StepKind::release: return "release " + node;
    case StepKind::cancel: return "cancel " + node;
    case StepKind::deliver: return "deliver " + message();
    case StepKind::duplicate: return "duplicate " + message();
    case StepKind::lose: return "drop " + message();
    case StepKind::leave: return "leave " + node;
    case StepKind::join: return "join " + node + " " + std::to_string(step.other);
    case StepKind::crash: return "crash " + node;
    case StepKind::suspect: return "suspect " + node + " " + std::to_string(step.other);
    case StepKind::timer: return "timer " + node + " " + std::to_string(step.other);
    case StepKind::elect:
    case StepKind::notice: return "elect " + node;
    case StepKind::retire: return "retire " + node;
    case StepKind::restart: return "restart " + node;
    case StepKind::tick: return "";
  }
  return "?";
}

/// The parameters that differ from the defaults, as the verb `nodes` takes them.
std::string print_tuning(const Tuning& tuning) {
  std::string text;
  if (tuning.voting != VotingSetShape::automatic)
    text += tuning.voting == VotingSetShape::grid ? " voting grid" : " voting plane";
  if (tuning.order != Tuning{}.order) text += " order " + std::to_string(tuning.order);
  if (tuning.balance == Balance::lazy) text += " lazy";
  if (tuning.eps > 0) text += " eps " + std::to_string(tuning.eps);
  return text;
}

}  // namespace

std::string describe_counterexample(const Options& options, const CheckReport& report) {
  Model& model = *report.model;
  AlgorithmSystem system(model, options);
  std::string text;
  replay(system, report.steps,
         [&](std::size_t i, const Step& step, const State& before, const State& after,
             const AlgorithmSystem::StepResult& taken) {
           if (report.cycle == i) text += "        from here on it goes round and round:\n";
           std::string number = std::to_string(i + 1);
           text += std::string(4 - std::min<std::size_t>(4, number.size()), ' ') + number + ". " +
                   headline(step, model, options.setting) + "\n" +
                   consequences(model, before, after, taken);
         });
  return text;
}

std::string to_scenario(const Options& options, const CheckReport& report) {
  Model& model = *report.model;
  AlgorithmSystem system(model, options);
  const Setting& setting = options.setting;
  std::string script = "# " + std::string(sim::word(report.violation->property)) + ": " +
                       report.violation->what + "\n\nnodes " +
                       std::to_string(setting.nodes - setting.newcomers) + " " + setting.algorithm +
                       print_tuning(setting.tuning);
  if (!report.ring.empty()) script += " ids";
  for (NodeId id : report.ring) script += " " + conch::print(id);
  if (!setting.clusters.empty()) script += " clusters";
  for (Node size : setting.clusters) script += " " + std::to_string(size);
  if (!setting.sites.empty()) script += " sites";
  for (Node clusters : setting.sites) script += " " + std::to_string(clusters);
  script += "\n----\n\n";
  replay(system, report.steps,
         [&](std::size_t, const Step& step, const State&, const State&,
             const AlgorithmSystem::StepResult&) {
           // A script has no clock.
           if (step.kind != StepKind::tick) script += verb(step, model, setting) + "\n----\n\n";
         });
  // `settle`, because in an election messages to a crashed process are lost.
  if (model.entry().can.elects) script += "settle\n";
  script += "check\n----\n";
  return sim::replay(script);
}

void write_trace(const Options& options, const CheckReport& report, sim::TraceSink& sink) {
  using sim::Happening;
  Model& model = *report.model;
  AlgorithmSystem system(model, options);
  sim::Causality clocks(options.setting.nodes);
  std::map<std::uint32_t, std::vector<sim::Causality::Clock>> in_flight;
  auto write = [&](Time at, Happening happening, Node node, std::optional<Node> peer,
                   const std::string& detail) {
    clocks.step(node);
    sink.write({at, happening, node, peer, detail}, &clocks);
  };
  replay(system, report.steps,
         [&](std::size_t i, const Step& step, const State& before, const State& after,
             const AlgorithmSystem::StepResult& taken) {
           Time at(std::chrono::milliseconds(i + 1));
           switch (step.kind) {
             case StepKind::request: write(at, Happening::request, step.node, {}, ""); break;
             case StepKind::release: write(at, Happening::exit, step.node, {}, ""); break;
             case StepKind::cancel: write(at, Happening::cancel, step.node, {}, ""); break;
             case StepKind::leave: write(at, Happening::leave, step.node, {}, ""); break;
             case StepKind::join: write(at, Happening::join, step.node, step.other, ""); break;
             case StepKind::crash: write(at, Happening::crash, step.node, {}, ""); break;
             case StepKind::suspect:
               write(at, Happening::suspect, step.node, step.other, "");
               break;
             case StepKind::elect: write(at, Happening::elect, step.node, {}, ""); break;
             case StepKind::notice: write(at, Happening::elect, step.node, {}, "noticed"); break;
             case StepKind::retire: write(at, Happening::retire, step.node, {}, ""); break;
             case StepKind::restart: write(at, Happening::restart, step.node, {}, ""); break;
             case StepKind::tick:
             case StepKind::timer: break;
             case StepKind::duplicate:
             case StepKind::lose:
               write(at, step.kind == StepKind::lose ? Happening::lose : Happening::duplicate,
                     step.packet.from(), step.packet.to(), model.print(step.packet.message()));
               break;
             case StepKind::deliver: {
               auto& waiting = in_flight[step.packet.word];
               if (!waiting.empty()) {
                 clocks.merge(step.node, waiting.front());
                 waiting.erase(waiting.begin());
               }
               write(at, Happening::receive, step.node, step.packet.from(),
                     model.print(step.packet.message()));
               break;
             }
           }
           if (taken.sent != nullptr) {
             for (const Sent& sent : *taken.sent) {
               write(at, Happening::send, step.node, sent.to, model.print(sent.message));
               in_flight[PackedMessage::make(step.node, sent.to, sent.message).word].push_back(
                   clocks.at(step.node));
             }
           }
           bool entered = after.local(step.node).phase() == Phase::inside &&
                          before.local(step.node).phase() != Phase::inside;
           if (entered) write(at, Happening::enter, step.node, {}, "");
         });
}

}  // namespace conch::check
