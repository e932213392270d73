// A run as a sequence of events: always as a hash, on demand as newline-delimited JSON or ShiViz.
#pragma once

#include <array>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/hash.hpp"
#include "core/types.hpp"
#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"
#include "trace/happening.hpp"

namespace conch::sim {

using trace::Happening;

struct TraceEvent {
  Time at;
  Happening happening;
  Node node;
  /// The other end of a message, or the suspected node.
  std::optional<Node> peer;
  /// The message, the fence, the partition.
  std::string detail;
  /// The node's state afterwards, for a sink that wants states; empty if there is none.
  std::string state = {};
  /// Identifies the message among those on their way; 0 if there is none.
  std::uint64_t message = 0;
};

/// Where a trace is written to.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// `clocks` are those after the event; null for a sink that wants states.
  virtual void write(const TraceEvent& event, const Causality* clocks) = 0;
  virtual bool wants_clocks() const { return false; }
  virtual bool wants_states() const { return false; }
  /// The state of a node before the first event, if states are wanted.
  virtual void begin(Node, const std::string& /*state*/) {}
  /// Called after the event that showed the violation.
  virtual void violate(const Violation&) {}
};

/// Writes one JSON object a line (trace/line.hpp). If an algorithm is given, the first line names
/// it, and a state is written when it has changed.
std::unique_ptr<TraceSink> ndjson_sink(std::ostream& out, std::string_view algorithm = {});
/// For ShiViz: a host, its vector clock and the event, by the regular expression of the first line.
std::unique_ptr<TraceSink> shiviz_sink(std::ostream& out);
/// Chosen by the ending of the file's name: .shiviz or .log for ShiViz; .json, .ndjson or .jsonl
/// for JSON, with states if there is an algorithm.
std::unique_ptr<TraceSink> sink_for(std::string_view file, std::ostream& out,
                                    std::string_view algorithm = {});
/// Writes to both sinks; either may be null.
class TwoSinks final : public TraceSink {
 public:
  TwoSinks(TraceSink* first, TraceSink* second) : sinks_{first, second} {}

  void write(const TraceEvent& event, const Causality* clocks) override;
  bool wants_clocks() const override;
  bool wants_states() const override;
  void begin(Node node, const std::string& state) override;
  void violate(const Violation& violation) override;

 private:
  std::array<TraceSink*, 2> sinks_;
};

/// The hash of all events. Equal for equal seeds and options, on every run and in every build.
class TraceHash {
 public:
  void add(Time at, Happening happening, Node node, std::uint64_t peer, std::uint64_t content) {
    hash_.mix(static_cast<std::uint64_t>(at.time_since_epoch().count()));
    hash_.mix((static_cast<std::uint64_t>(happening) << 56) ^ (peer << 28) ^ node);
    hash_.mix(content);
  }
  std::string hex() const;

 private:
  Hash64 hash_;
};

}  // namespace conch::sim
