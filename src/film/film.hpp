// A recorded run, stored in columns for the pages; docs/view.md describes the bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "film/texts.hpp"
#include "trace/happening.hpp"

namespace conch::film {

using trace::Happening;

/// A node's index in the film.
using NodeIndex = std::uint32_t;
using EventNumber = std::uint32_t;
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct RecordingInfo {
  std::string title = {};
  /// The command that repeats the run.
  std::string command = {};
  std::string algorithm = {};
  /// Selects the drawing beside the run; see `family_of`.
  std::string family = {};
  /// `ns` or `step`.
  std::string unit = "ns";
};

struct Person {
  std::string name;
  std::uint32_t cluster = 0;
  std::uint32_t site = 0;
  /// Its position on the ring of a DHT.
  std::optional<std::uint64_t> ring = {};
};

struct RecordedEvent {
  /// In the film's unit. A time before the previous event's counts as equal to it.
  std::int64_t at = 0;
  Happening happening = Happening::request;
  NodeIndex node = 0;
  /// The other end of a message, or the suspected node.
  std::optional<NodeIndex> peer = {};
  std::string_view detail = {};
  std::string_view lock = {};
  /// The node's state after this event; empty if unknown.
  std::string_view state = {};
  /// Identifies the message among those in flight from one node to the other; 0 means the oldest
  /// with the same text.
  std::uint64_t message = 0;
};

/// The family as the film's header names it; `peers` for an unknown algorithm.
std::string_view family_of(std::string_view algorithm);

class Builder {
 public:
  static constexpr std::size_t events_max = 20'000'000;

  explicit Builder(RecordingInfo about);

  RecordingInfo& about() { return about_; }
  NodeIndex add_node(Person person);
  std::size_t nodes() const { return nodes_.size(); }
  /// The node's state before its first event.
  void initial_state(NodeIndex node, std::string_view state);
  /// Matches a message with its other end, and an end with its beginning. Throws std::length_error
  /// if the film becomes too long.
  EventNumber add(const RecordedEvent& event);
  std::size_t events() const { return at_.size(); }
  /// The node of an event; empty if there is no such event yet.
  std::optional<NodeIndex> node_of(EventNumber event) const {
    return event < node_.size() ? std::optional(node_[event]) : std::nullopt;
  }
  /// Belongs to the last event added.
  void violation(std::string_view property, std::string_view what, std::vector<NodeIndex> nodes);
  std::size_t violations() const { return violations_.size(); }
  /// Belongs to the next event, or to the last one if no other follows.
  void caption(std::string_view text);

  std::string bytes() const;

 private:
  struct Violation {
    EventNumber event;
    std::string property;
    std::string what;
    std::vector<NodeIndex> nodes;
  };
  struct Caption {
    EventNumber event;
    std::string text;
  };
  struct Way {
    NodeIndex from;
    NodeIndex to;
    /// The number of the message, or of its text.
    std::uint64_t message;
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  /// Unfinished requests and entries of one node on one lock, the oldest first. A peer may have
  /// several threads.
  struct Stay {
    std::vector<EventNumber> requests;
    std::vector<EventNumber> entries;
  };

  std::uint16_t kind_of(const RecordedEvent& event);
  void pair_message(EventNumber number, const RecordedEvent& event, std::uint32_t text);
  void pair_stay(EventNumber number, const RecordedEvent& event, std::uint32_t lock);
  void end(std::vector<EventNumber>& beginnings, EventNumber ending);
  struct Column;
  std::vector<Column> columns() const;
  std::string header(const std::vector<Column>& columns) const;

  RecordingInfo about_;
  std::vector<Person> nodes_;
  Texts texts_;
  Texts locks_;
  Texts kinds_;
  std::vector<Violation> violations_;
  std::vector<Caption> captions_;

  std::int64_t first_ = 0;
  std::vector<double> at_;
  std::vector<std::uint8_t> word_;
  std::vector<NodeIndex> node_;
  std::vector<NodeIndex> peer_;
  std::vector<EventNumber> mate_;
  std::vector<std::uint16_t> kind_;
  std::vector<std::uint32_t> lock_;
  std::vector<std::uint32_t> detail_;
  std::vector<std::uint32_t> state_;

  /// By node: the state before the first event, and the last state written.
  std::vector<std::uint32_t> initial_state_;
  std::vector<std::uint32_t> last_state_;
  /// Sends without an end so far, the oldest first.
  std::map<Way, std::vector<EventNumber>> messages_;
  std::map<std::pair<NodeIndex, std::uint32_t>, Stay> stays_;
};

}  // namespace conch::film
