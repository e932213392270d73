// A reliable link to one peer: what one side sends is delivered to the other exactly once and in
// order, over a network that loses, duplicates and reorders frames.
//
// Assumes that a frame arrives unaltered or not at all, and that one sent again and again arrives
// at last. A link serves one session of two incarnations; the world drops frames of any other. The
// world keeps the clock, too: while `wants_timer`, a timer of `retransmission_delay` ends in
// `timeout`, and starts anew after it and after every `receive` that leaves less unacknowledged.
//
// State: payloads are numbered from 1. `unacknowledged` are kept to be repeated; `early` ones came
// before one that is missing. Both are bounded by the capacity.
//
//   FRAME(sequence, acknowledged, payload)  a payload and its number
//   FRAME(0, acknowledged)                  a mere acknowledgement
//
// Either acknowledges all payloads up to and including `acknowledged`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/expect.hpp"
#include "core/fields.hpp"
#include "core/types.hpp"

namespace conch::sim {

/// The delay doubles with every failed attempt, up to this many times.
inline constexpr unsigned backoff_doublings_max = 6;

/// How long to wait for an acknowledgement before `timeout`, after this many failed attempts.
constexpr Duration retransmission_delay(Duration base, unsigned attempts) {
  CONCH_EXPECT(base > Duration::zero(), "a link waits before it repeats itself");
  return base * (1 << std::min(attempts, backoff_doublings_max));
}

template <class Payload>
class Link {
 public:
  struct Frame {
    std::uint64_t sequence = 0;
    std::uint64_t acknowledged = 0;
    std::optional<Payload> payload;
    CONCH_FIELDS(Frame, sequence, acknowledged, payload)
  };
  /// Frames to this link's peer, in the order in which to send them. While they are not yet sent, a
  /// mere acknowledgement among them gives way to a later frame, which acknowledges as much.
  using Frames = std::vector<Frame>;

  static constexpr std::size_t default_capacity = 4096;
  /// How many frames are repeated before the first of them is acknowledged.
  static constexpr std::uint64_t burst_max = 16;

  explicit Link(std::size_t capacity = default_capacity) : capacity_(capacity) {
    CONCH_EXPECT(capacity > 0, "a link keeps at least one payload");
  }

  /// False if the peer has left as many payloads unacknowledged as the link can keep. This one can
  /// then never be delivered, so the link is broken for good: the world treats the peer as lost.
  [[nodiscard]] bool send(Payload payload, Frames& out) {
    if (unacknowledged_.size() == capacity_) break_off();
    if (broken_) return false;
    unacknowledged_.try_emplace(++sent_, std::move(payload));
    put(numbered(sent_), out);
    return true;
  }

  /// Appends to `delivered` what is now in order. Ignores a frame that no peer of ours would send.
  void receive(const Frame& frame, Frames& out, std::vector<Payload>& delivered) {
    if (broken_ || !plausible(frame)) return;
    drop_up_to(frame.acknowledged);
    if (frame.payload) {
      keep(frame);
      deliver(delivered);
      put(Frame{0, received_, std::nullopt}, out);
    }
    repeat(out);
  }

  /// Nothing was acknowledged for a while: repeats the oldest payloads, and the others as the
  /// acknowledgements of these come in.
  void timeout(Frames& out) {
    if (!wants_timer()) return;
    attempts_ = std::min(attempts_ + 1, backoff_doublings_max);
    repetition_ = Repetition{oldest(), sent_};
    repeat(out);
  }

  bool wants_timer() const { return !unacknowledged_.empty(); }
  /// Timeouts since something was last acknowledged, as far as they still lengthen the delay.
  unsigned attempts() const { return attempts_; }
  std::size_t unacknowledged() const { return unacknowledged_.size(); }
  /// Neither keeps anything for the peer nor waits for anything missing. A broken link is idle.
  bool idle() const { return unacknowledged_.empty() && early_.empty(); }
  bool broken() const { return broken_; }

 private:
  /// What was unacknowledged at the last timeout and has not been repeated since.
  struct Repetition {
    std::uint64_t next = 0;
    std::uint64_t last = 0;
    CONCH_FIELDS(Repetition, next, last)
  };

  bool plausible(const Frame& frame) const {
    bool is_data = frame.sequence != 0;
    return frame.acknowledged <= sent_ && is_data == frame.payload.has_value();
  }

  /// The number of the first payload that is unacknowledged, or would be if it were sent.
  std::uint64_t oldest() const {
    return unacknowledged_.empty() ? sent_ + 1 : unacknowledged_.begin()->first;
  }

  void drop_up_to(std::uint64_t acknowledged) {
    if (acknowledged < oldest()) return;
    attempts_ = 0;
    unacknowledged_.erase(unacknowledged_.begin(), unacknowledged_.upper_bound(acknowledged));
  }

  void keep(const Frame& frame) {
    bool is_new = frame.sequence > received_;
    if (is_new && frame.sequence - received_ <= capacity_)
      early_.try_emplace(frame.sequence, *frame.payload);
  }

  void deliver(std::vector<Payload>& delivered) {
    while (!early_.empty() && early_.begin()->first == received_ + 1) {
      delivered.push_back(std::move(early_.begin()->second));
      early_.erase(early_.begin());
      ++received_;
    }
  }

  void repeat(Frames& out) {
    if (!repetition_) return;
    auto& [next, last] = *repetition_;
    next = std::max(next, oldest());
    for (; next <= last && next < oldest() + burst_max; ++next) put(numbered(next), out);
    if (next > last) repetition_.reset();
  }

  Frame numbered(std::uint64_t sequence) const {
    return {sequence, received_, unacknowledged_.at(sequence)};
  }

  static void put(Frame frame, Frames& out) {
    if (!out.empty() && !out.back().payload) out.pop_back();
    out.push_back(std::move(frame));
  }

  void break_off() {
    broken_ = true;
    unacknowledged_.clear();
    early_.clear();
    repetition_.reset();
  }

  std::size_t capacity_;
  bool broken_ = false;
  /// The number of the last payload sent.
  std::uint64_t sent_ = 0;
  /// The number of the last payload delivered.
  std::uint64_t received_ = 0;
  unsigned attempts_ = 0;
  std::map<std::uint64_t, Payload> unacknowledged_;
  std::map<std::uint64_t, Payload> early_;
  std::optional<Repetition> repetition_;

 public:
  CONCH_FIELDS(Link, capacity_, broken_, sent_, received_, attempts_, unacknowledged_, early_,
               repetition_)
};

}  // namespace conch::sim
