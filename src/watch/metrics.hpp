// Counts what a peer does, for Prometheus (text format, version 0.0.4).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "node/observer.hpp"
#include "node/talk.hpp"
#include "watch/note.hpp"

namespace conch::watch {

/// A histogram of durations with fixed bounds, in seconds.
class Histogram {
 public:
  static constexpr std::array<double, 16> bounds{1e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3,
                                                 5e-3, 1e-2, 5e-2,   1e-1, 0.5,  1,      10,   60};

  void add(Duration duration);
  /// Not cumulative: one count per bound, and one for everything above the last.
  const auto& counts() const { return counts_; }
  void print(std::string& out, std::string_view name) const;

 private:
  std::array<std::uint64_t, bounds.size() + 1> counts_{};
  double sum_ = 0;
};

/// Used under the engine's guard.
class PeerMetrics final : public node::Observer {
 public:
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const PeerInstance& life) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const PeerInstance& to, const MessageNote& note) override;
  void received(const PeerInstance& from, const MessageNote& note) override;
  void data_sent(std::uint64_t bytes) override { data_bytes_[0] += bytes; }
  void data_received(std::uint64_t bytes) override { data_bytes_[1] += bytes; }

  /// Includes the current state of the peer and its group.
  std::string text(const node::Status& here) const;

  const Histogram& waits() const { return waits_; }
  /// Entries whose lock came from another peer, and entries whose lock was already here.
  std::uint64_t handovers() const { return handovers_; }
  std::uint64_t again() const { return again_; }
  /// The latest epochs, suspicions and losses.
  const std::deque<watch::Note>& past() const { return past_; }

 private:
  using Direction = std::size_t;  // 0: sent, 1: received
  void count(Direction direction, const MessageNote& note);
  void remember(watch::Note note);
  void print_state(std::string& out, const node::Status& here) const;
  void print_counts(std::string& out, const node::Counts& counts) const;

  Histogram waits_;
  Histogram holds_;
  /// By message type.
  std::array<std::map<std::string, std::uint64_t, std::less<>>, 2> messages_;
  std::uint64_t handovers_ = 0;
  std::uint64_t again_ = 0;
  std::uint64_t suspicions_ = 0;
  std::array<std::uint64_t, 2> data_bytes_{};
  std::deque<watch::Note> past_;
};

}  // namespace conch::watch
