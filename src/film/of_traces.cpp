#include "film/of_traces.hpp"

#include <algorithm>
#include <charconv>
#include <conch/error.hpp>
#include <map>

#include "audit/audit.hpp"

namespace conch::film {

namespace {

using audit::Evidence;
using audit::LifeId;
using audit::TracePosition;
using trace::Line;

/// No simulation has this many nodes.
constexpr std::uint32_t simulated_nodes_max = 1'000'000;

class Projection final : public audit::TraceListener {
 public:
  explicit Projection(RecordingInfo about) : film_(std::move(about)) {}

  void hear(const Line& line, TracePosition place, std::optional<Message> message) override {
    RecordedEvent event{
        .at = line.at, .happening = line.happening, .node = place_of(line, line.node)};
    if (!line.peer.empty()) event.peer = place_of(line, line.peer);
    event.detail = trace::unescaped(line.detail, detail_);
    event.lock = trace::unescaped(line.lock, lock_);
    event.state = trace::unescaped(line.state, state_);
    if (message) event.message = number_of(*message);
    if (!line.algorithm.empty() && film_.about().algorithm.empty())
      film_.about().algorithm = line.algorithm;
    film_.add(event);
    if (speakers_.size() <= place.stream) speakers_.resize(place.stream + 1);
    speakers_[place.stream] = event.node;
    live_ = line.live;
  }

  void hear(const audit::TraceViolation& violation) override {
    std::vector<NodeIndex> nodes;
    for (const Evidence& exhibit : violation.exhibits)
      if (auto node = speaker_of(exhibit.place)) {
        bool known = std::find(nodes.begin(), nodes.end(), *node) != nodes.end();
        if (!known) nodes.push_back(*node);
      }
    film_.violation(word(violation.property), violation.what, std::move(nodes));
  }

  Builder finish() {
    film_.about().family = live_ ? "peers" : std::string(family_of(film_.about().algorithm));
    return std::move(film_);
  }

 private:
  NodeIndex place_of(const Line& line, std::string_view name) {
    return line.live ? place_of_peer(name) : place_of_node(name);
  }
  NodeIndex place_of_peer(std::string_view id) {
    auto found = places_.find(id);
    if (found != places_.end()) return found->second;
    NodeIndex place = film_.add_node({std::string(id)});
    places_.emplace(id, place);
    return place;
  }
  NodeIndex place_of_node(std::string_view digits) {
    std::uint32_t number = simulated_nodes_max;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number >= simulated_nodes_max)
      throw Error("\"" + std::string(digits) + "\" is no node of a simulation");
    while (film_.nodes() <= number) film_.add_node({std::to_string(film_.nodes())});
    return number;
  }
  /// Message numbers count per pair of lives, and a peer may have several lives.
  std::uint64_t number_of(const Message& message) {
    constexpr int bits = 40;
    std::uint64_t pair =
        pairs_.try_emplace({message.from, message.to}, pairs_.size()).first->second;
    return (pair << bits) + message.number;
  }
  std::optional<NodeIndex> speaker_of(TracePosition place) const {
    if (!live_) return film_.node_of(static_cast<EventNumber>(place.line - 1));
    if (place.stream < speakers_.size()) return speakers_[place.stream];
    return {};
  }

  Builder film_;
  std::map<std::string, NodeIndex, std::less<>> places_;
  std::map<std::pair<LifeId, LifeId>, std::uint64_t> pairs_;
  std::vector<NodeIndex> speakers_;
  bool live_ = false;
  std::string detail_, lock_, state_;
};

}  // namespace

Builder film_of(std::vector<audit::TraceStream*> streams, RecordingInfo about) {
  Projection projection(std::move(about));
  audit::Audit(std::move(streams), &projection).run();
  return projection.finish();
}

}  // namespace conch::film
