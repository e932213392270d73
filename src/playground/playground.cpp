#include "playground/playground.hpp"

#include <algorithm>

#include "core/print.hpp"
#include "core/random.hpp"
#include "film/film.hpp"
#include "sim/scripted_world.hpp"

namespace conch::playground {

namespace {

constexpr std::string_view hold_comment = "# hold ";
constexpr std::string_view let_go_comment = "# let go ";

using Lines = std::vector<std::string>;

std::string way_of(const sim::Sight::Message& message) {
  return std::to_string(message.from) + " -> " + std::to_string(message.to) + " " + message.kind;
}

Lines timers(const sim::Sight& sight) {
  Lines lines;
  for (const sim::Sight::Member& member : sight.members)
    for (TimerId timer : member.armed)
      lines.push_back("timer " + std::to_string(member.node) + " " + conch::print(timer));
  return lines;
}

/// The commands that processes may give: request, release, or begin an election.
Lines wishes(const sim::Sight& sight) {
  Lines lines;
  for (const sim::Sight::Member& member : sight.members) {
    std::string node = std::to_string(member.node);
    bool elects = sight.entry->can.elects;
    if (elects && member.phase == sim::Phase::idle && !member.participant)
      lines.push_back("elect " + node);
    if (!elects && member.phase == sim::Phase::idle) lines.push_back("request " + node);
    if (member.phase == sim::Phase::inside) lines.push_back("release " + node);
  }
  return lines;
}

}  // namespace

Playground::Playground() { begin(); }

void Playground::begin() {
  scenario_ = std::make_unique<sim::Scenario>(film::RecordingInfo{.title = "Playground"});
  lines_ = 0;
  held_.clear();
}

void Playground::hold(std::string_view what, bool held) {
  if (held) {
    held_.emplace(what);
  } else if (auto found = held_.find(what); found != held_.end()) {
    held_.erase(found);
  }
}

bool Playground::held(const sim::Sight::Message& message) const {
  return held_.contains(way_of(message));
}

std::string Playground::run(std::string_view line) {
  if (line.starts_with(hold_comment)) hold(line.substr(hold_comment.size()), true);
  if (line.starts_with(let_go_comment)) hold(line.substr(let_go_comment.size()), false);
  std::string printed;
  if (!line.empty() && !line.starts_with('#')) printed = scenario_->run(line);
  if (printed.starts_with("error: ")) return printed;
  ++lines_;
  if (held_.empty() || scenario_->world() == nullptr) return printed;
  std::set<std::string> in_flight;
  for (const sim::Sight::Message& message : scenario_->world()->sight().in_flight)
    in_flight.insert(way_of(message));
  std::erase_if(held_, [&](const std::string& way) { return !in_flight.contains(way); });
  return printed;
}

/// The deliveries that are possible: the first message of each channel, oldest first.
Lines Playground::deliveries(const sim::Sight& sight) const {
  const About& about = sight.entry->about;
  bool fifo = about.needs_fifo || about.leave_needs_fifo;
  Lines lines;
  std::set<std::string> passed;
  for (const sim::Sight::Message& message : sight.in_flight) {
    std::string way = way_of(message);
    std::string channel = fifo ? way.substr(0, way.size() - message.kind.size()) : way;
    bool first = passed.insert(channel).second;
    if (first && !message.parted && !held_.contains(way)) lines.push_back("deliver " + way);
  }
  return lines;
}

std::string Playground::draw(const Chance& chance) const {
  if (scenario_->world() == nullptr) return {};
  sim::Sight sight = scenario_->world()->sight();
  Random random(chance.seed, lines_);
  Lines lines = deliveries(sight);
  if (lines.empty() && held_.empty()) lines = timers(sight);
  Lines own = chance.lively ? wishes(sight) : Lines{};
  // Messages are more frequent than requests and releases.
  if (!own.empty() && (lines.empty() || random.below(4) == 0)) lines = own;
  return lines.empty() ? std::string() : lines[random.below(lines.size())];
}

std::string Playground::film() const {
  return scenario_->film() != nullptr ? scenario_->film()->bytes() : std::string();
}

std::size_t Playground::events() const {
  return scenario_->film() != nullptr ? scenario_->film()->events() : 0;
}

}  // namespace conch::playground
