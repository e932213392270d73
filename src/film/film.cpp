#include "film/film.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace conch::film {

namespace {

constexpr std::uint16_t no_kind = 0xffff;

constexpr auto families = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"naimi-trehel", "tree"},
    {"raymond", "tree"},
    {"elmp", "elmp"},
    {"elmp-lazy", "elmp"},
    {"elmp-trylock", "elmp"},
    {"proxy", "hierarchical"},
    {"preempt", "hierarchical"},
    {"preempt-aggregation", "hierarchical"},
    {"sigma", "overlay"},
    {"end-to-end", "overlay"},
    {"non-end-to-end", "overlay"},
    {"maekawa", "votes"},
    {"maekawa-textbook", "votes"},
    {"ring", "ring"},
    {"ring-idle-hold", "ring"},
    {"suzuki-kasami", "broadcast"},
    {"lamport", "broadcast"},
    {"ricart-agrawala", "broadcast"},
    {"ricart-agrawala-kept", "broadcast"},
    {"central", "central"},
    {"chang-roberts", "election-ring"},
    {"bully", "election"},
    {"bully-polite", "election"},
});

bool is_message(Happening happening) {
  return happening == Happening::send || happening == Happening::receive ||
         happening == Happening::lose || happening == Happening::duplicate;
}

}  // namespace

std::string_view family_of(std::string_view algorithm) {
  std::string_view name = algorithm.substr(0, algorithm.find('@'));
  for (auto [each, family] : families)
    if (each == name) return family;
  return "peers";
}

Builder::Builder(RecordingInfo about) : about_(std::move(about)) {}

NodeIndex Builder::add_node(Person person) {
  nodes_.push_back(std::move(person));
  initial_state_.push_back(none);
  last_state_.push_back(none);
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

void Builder::initial_state(NodeIndex node, std::string_view state) {
  initial_state_[node] = texts_.number(state);
}

EventNumber Builder::add(const RecordedEvent& event) {
  if (events() == events_max)
    throw std::length_error("a film has at most " + std::to_string(events_max) +
                            " events: choose fewer nodes or fewer requests");
  auto number = static_cast<EventNumber>(events());
  if (number == 0) first_ = event.at;
  auto at = static_cast<double>(event.at - first_);
  std::uint32_t text = event.detail.empty() ? none : texts_.number(event.detail);
  std::uint32_t lock = event.lock.empty() ? none : locks_.number(event.lock);
  std::uint32_t state = event.state.empty() ? none : texts_.number(event.state);
  bool changed = state != none && state != std::exchange(last_state_[event.node], state);
  at_.push_back(number == 0 ? at : std::max(at, at_.back()));
  word_.push_back(static_cast<std::uint8_t>(event.happening));
  node_.push_back(event.node);
  peer_.push_back(event.peer.value_or(none));
  mate_.push_back(none);
  kind_.push_back(kind_of(event));
  lock_.push_back(lock);
  detail_.push_back(text);
  state_.push_back(changed ? state : none);
  pair_message(number, event, text);
  pair_stay(number, event, lock);
  return number;
}

/// Returns the kind of a message: `REQUEST` for `REQUEST(origin 1)`.
std::uint16_t Builder::kind_of(const RecordedEvent& event) {
  if (!is_message(event.happening) || event.detail.empty()) return no_kind;
  std::uint32_t kind = kinds_.number(event.detail.substr(0, event.detail.find('(')));
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(kind, no_kind));
}

void Builder::pair_message(EventNumber number, const RecordedEvent& event, std::uint32_t text) {
  if (!event.peer) return;
  // Traces do not have the contents of application messages, so these match in order of sending.
  bool application = event.happening == Happening::tell || event.happening == Happening::told;
  if (!application && !is_message(event.happening)) return;
  bool arrives = event.happening == Happening::receive || event.happening == Happening::told;
  constexpr std::uint64_t by_number = std::uint64_t{1} << 63;
  constexpr std::uint64_t told = std::uint64_t{1} << 62;
  std::uint64_t message = application          ? told
                          : event.message != 0 ? event.message | by_number
                                               : std::uint64_t{text};
  Way way = arrives ? Way{*event.peer, event.node, message} : Way{event.node, *event.peer, message};
  bool sends = event.happening == Happening::send || event.happening == Happening::tell;
  if (sends) {
    std::vector<EventNumber>& waiting = messages_[way];
    // A number is reused only when no copy of the earlier message is in flight.
    if (event.message != 0) waiting.clear();
    return waiting.push_back(number);
  }
  auto found = messages_.find(way);
  if (found == messages_.end()) return;
  std::vector<EventNumber>& on_their_way = found->second;
  if (event.happening == Happening::duplicate) {
    mate_[number] = on_their_way.back();
    return on_their_way.push_back(on_their_way.back());
  }
  EventNumber sent = on_their_way.front();
  on_their_way.erase(on_their_way.begin());
  if (on_their_way.empty()) messages_.erase(found);
  mate_[number] = sent;
  if (mate_[sent] == none) mate_[sent] = number;
}

void Builder::end(std::vector<EventNumber>& beginnings, EventNumber ending) {
  if (beginnings.empty()) return;
  mate_[beginnings.front()] = ending;
  if (mate_[ending] == none) mate_[ending] = beginnings.front();
  beginnings.erase(beginnings.begin());
}

void Builder::pair_stay(EventNumber number, const RecordedEvent& event, std::uint32_t lock) {
  switch (event.happening) {
    case Happening::request: return stays_[{event.node, lock}].requests.push_back(number);
    case Happening::enter: {
      Stay& stay = stays_[{event.node, lock}];
      end(stay.requests, number);
      mate_[number] = none;  // The mate of an entry is its end.
      return stay.entries.push_back(number);
    }
    case Happening::withdrawn: return end(stays_[{event.node, lock}].requests, number);
    case Happening::exit:
    case Happening::lost: return end(stays_[{event.node, lock}].entries, number);
    case Happening::crash:
      for (auto each = stays_.lower_bound({event.node, 0});
           each != stays_.end() && each->first.first == event.node; ++each) {
        while (!each->second.entries.empty()) end(each->second.entries, number);
        each->second.requests.clear();
      }
      return;
    default: return;
  }
}

void Builder::violation(std::string_view property, std::string_view what,
                        std::vector<NodeIndex> nodes) {
  auto event = static_cast<EventNumber>(std::max<std::size_t>(events(), 1) - 1);
  violations_.push_back({event, std::string(property), std::string(what), std::move(nodes)});
}

void Builder::caption(std::string_view text) {
  bool same = !captions_.empty() && captions_.back().event == events();
  if (same) return void(captions_.back().text += "\n" + std::string(text));
  captions_.push_back({static_cast<EventNumber>(events()), std::string(text)});
}

}  // namespace conch::film
