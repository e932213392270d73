// A run in columns, as the pages read it: docs/film.md says how the bytes are laid out.
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

/// By its place in the film.
using Node = std::uint32_t;
using EventNumber = std::uint32_t;
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct About {
  std::string title = {};
  /// That makes the same run again.
  std::string command = {};
  std::string algorithm = {};
  /// What a page draws beside the run; see `family_of`.
  std::string family = {};
  /// `ns` or `step`.
  std::string unit = "ns";
};

struct Person {
  std::string name;
  std::uint32_t cluster = 0;
  std::uint32_t site = 0;
  /// Its place on the ring of a DHT.
  std::optional<std::uint64_t> ring = {};
};

struct Event {
  /// In the unit of the film; no earlier than that of the event before.
  std::int64_t at = 0;
  Happening happening = Happening::request;
  Node node = 0;
  /// The other end of a message, or the suspected node.
  std::optional<Node> peer = {};
  std::string_view detail = {};
  std::string_view lock = {};
  /// Of the node after this event; empty if it is not known.
  std::string_view state = {};
  /// Which one of those on their way from the one node to the other; 0: the oldest that says this.
  std::uint64_t message = 0;
};

/// As the header calls it; `peers` if nobody knows the algorithm.
std::string_view family_of(std::string_view algorithm);

class Builder {
 public:
  static constexpr std::size_t events_max = 20'000'000;

  explicit Builder(About about);

  About& about() { return about_; }
  Node add_node(Person person);
  std::size_t nodes() const { return nodes_.size(); }
  /// Of a node before its first event.
  void initial_state(Node node, std::string_view state);
  /// The message's other end is found here, and the beginning of what ends. Throws
  /// std::length_error if the film becomes too long.
  EventNumber add(const Event& event);
  std::size_t events() const { return at_.size(); }
  /// Whose event that is; nobody's, if there is none yet.
  std::optional<Node> node_of(EventNumber event) const {
    return event < node_.size() ? std::optional(node_[event]) : std::nullopt;
  }
  /// Of the last event that was added.
  void violation(std::string_view property, std::string_view what, std::vector<Node> nodes);
  std::size_t violations() const { return violations_.size(); }
  /// Of the next event; the last one if there is none.
  void caption(std::string_view text);

  std::string bytes() const;

 private:
  struct Violation {
    EventNumber event;
    std::string property;
    std::string what;
    std::vector<Node> nodes;
  };
  struct Caption {
    EventNumber event;
    std::string text;
  };
  struct Way {
    Node from;
    Node to;
    /// The message's number, or what it says.
    std::uint64_t message;
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  /// What a node has begun with a lock, the oldest first: a peer may have several threads.
  struct Stay {
    std::vector<EventNumber> requests;
    std::vector<EventNumber> entries;
  };

  std::uint16_t kind_of(const Event& event);
  void pair_message(EventNumber number, const Event& event, std::uint32_t text);
  void pair_stay(EventNumber number, const Event& event, std::uint32_t lock);
  void end(std::vector<EventNumber>& beginnings, EventNumber ending);
  struct Column;
  std::vector<Column> columns() const;
  std::string header(const std::vector<Column>& columns) const;

  About about_;
  std::vector<Person> nodes_;
  Texts texts_;
  Texts locks_;
  Texts kinds_;
  std::vector<Violation> violations_;
  std::vector<Caption> captions_;

  std::int64_t first_ = 0;
  std::vector<double> at_;
  std::vector<std::uint8_t> word_;
  std::vector<Node> node_;
  std::vector<Node> peer_;
  std::vector<EventNumber> mate_;
  std::vector<std::uint16_t> kind_;
  std::vector<std::uint32_t> lock_;
  std::vector<std::uint32_t> detail_;
  std::vector<std::uint32_t> state_;

  /// By node: the one before everything, and the last that was written.
  std::vector<std::uint32_t> initial_state_;
  std::vector<std::uint32_t> last_state_;
  /// Sends of which an end is still to come, the oldest first.
  std::map<Way, std::vector<EventNumber>> messages_;
  std::map<std::pair<Node, std::uint32_t>, Stay> stays_;
};

}  // namespace conch::film
