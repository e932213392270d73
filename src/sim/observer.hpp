// Tells the oracles, the metrics and the trace of each event of a run once.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/metrics.hpp"
#include "sim/oracles.hpp"
#include "sim/recorder.hpp"
#include "sim/sharing_stats.hpp"
#include "sim/simulated_nodes.hpp"
#include "sim/trace.hpp"
#include "sim/visits.hpp"

namespace conch::sim {

/// How often each kind of trace event has happened.
using Happened = std::array<std::uint64_t, static_cast<std::size_t>(trace::last_happening) + 1>;

class RunObserver {
 public:
  struct Settings {
    Node nodes = 0;
    std::vector<std::uint32_t> cluster_of;
    bool token = false;
    bool order = false;
    /// With readers or ranges: counts which requests meet.
    bool shared = false;
    /// The rules for visits to clusters, and to sites.
    std::vector<VisitOracle::Rules> visits = {};
    TraceSink* sink = nullptr;
  };
  RunObserver(const Settings& watch, const SimulatedNodes& simulated_nodes);

  // Processes.
  void requested(Node node, const Wish& wish, Time now);
  void entered(Node node, const Entered& entered, Time now);
  /// The data that the holder leaves behind.
  DataRef released(Node node, Time now);
  void cancelled(Node node, Time now);
  void withdrawn(Node node, Time now);

  // Messages. The clock of a message is the sender's when it was sent.
  void sent(const Posted& message, Time now) {
    metrics_.sent(message);
    oracles_.sent(message);
    write_message(now, Happening::send, message.from, message.to, message.hash, message.slot);
    collect(now);
  }
  void received(Node node, Node from, Slot slot, Time now) {
    metrics_.received(node);
    oracles_.received(node, slot);
    write_message(now, Happening::receive, node, from, 0, slot);
  }
  void missed(Node node, Node from, Slot slot, bool token, Time now);
  void lost(const Posted& message, Time now);
  void duplicated(const Posted& message, Time now);
  void told(Node node, Node from, const Causality::Clock& clock, Time now);
  /// Returns the clock to send along.
  Causality::Clock tells(Node node, Node to, Time now);

  // Around every call into the nodes.
  void before_call(Node node, bool reads_token) {
    oracles_.before_call(reads_token);
    recorder_.before_call(node);
  }
  void after_call(Node node, Time now) {
    oracles_.after_call(node);
    collect(now);
    recorder_.after_call();
  }

  // Nodes.
  void crashed(Node node, Time now);
  void joins(Node node, Time now);
  void gone(Node node, Time now);
  /// Anything else worth a line in the trace.
  void note(Time now, Happening happening, Node node, std::optional<Node> peer = {},
            std::string_view detail = {});

  /// At the beginning all nodes exist and nothing has happened yet; after the end nothing more
  /// happens.
  void begin(Node nodes);
  void end() { recorder_.end(); }

  void report(Property property, const Finding& finding, Time now, std::vector<Node> nodes = {});
  /// Shows a violation that another oracle has found.
  void show(const Violation& violation) { recorder_.violate(violation); }
  const std::optional<Violation>& violation() const { return violation_; }
  Time violated_at() const { return violated_at_; }

  const Metrics& metrics() const { return metrics_; }
  /// The visits to clusters, if there are several.
  std::optional<Visits> visits() const {
    return visits_.empty() ? std::nullopt : std::optional(visits_.front().visits());
  }
  std::optional<SharingStats> sharing() const {
    return sharing_ ? std::optional(sharing_->sharing()) : std::nullopt;
  }
  std::string trace_hash() const { return hash_.hex(); }
  const Happened& happened() const { return happened_; }

 private:
  void write(Time now, Happening happening, Node node, std::optional<Node> peer = {},
             std::string_view detail = {}, std::uint64_t content = 0) {
    ++happened_[static_cast<std::size_t>(happening)];
    hash_.add(now, happening, node, peer.value_or(node), content);
    if (recorder_.records()) record(now, happening, node, peer, detail);
  }
  void record(Time now, Happening happening, Node node, std::optional<Node> peer,
              std::string_view detail);
  void write_message(Time now, Happening happening, Node node, Node peer, std::uint64_t content,
                     Slot slot) {
    ++happened_[static_cast<std::size_t>(happening)];
    hash_.add(now, happening, node, peer, content);
    if (recorder_.records()) record_message(now, happening, node, peer, slot);
  }
  void record_message(Time now, Happening happening, Node node, Node peer, Slot slot);
  void collect(Time now) {
    if (oracles_.has_violations()) collect_violations(now);
  }
  void collect_violations(Time now);

  const SimulatedNodes& simulated_nodes_;
  Metrics metrics_;
  Oracles oracles_;
  std::optional<SharingMeter> sharing_;
  std::vector<VisitOracle> visits_;
  TraceHash hash_;
  Happened happened_{};
  Recorder recorder_;
  std::optional<Violation> violation_;
  Time violated_at_;
};

}  // namespace conch::sim
