// One global state of a group that recovers, as a short array of 32-bit words: the register, what
// the oracles remember, the remaining budgets, the peers, and the messages in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>

#include "check/recovery_model.hpp"

namespace conch::check::group {

/// Kinds of events that may happen a bounded number of times in a run.
enum class Budget : std::uint8_t { cancel, leave, join, crash, pause, restart, usurp, suspect };
inline constexpr std::array budgets{Budget::cancel, Budget::leave,  Budget::join,
                                    Budget::crash,  Budget::pause,  Budget::restart,
                                    Budget::usurp,  Budget::suspect};
inline constexpr int budget_bits = 4;
inline constexpr std::uint32_t budget_max = (1 << budget_bits) - 1;
constexpr std::string_view word(Budget budget) {
  switch (budget) {
    case Budget::cancel: return "cancel";
    case Budget::leave: return "leave";
    case Budget::join: return "join";
    case Budget::crash: return "crash";
    case Budget::pause: return "pause";
    case Budget::restart: return "restart";
    case Budget::usurp: return "usurp";
    case Budget::suspect: return "suspect";
  }
  return "?";
}

enum class PeerStatus : std::uint8_t {
  absent,  // not started yet
  running,
  paused,
  crashed,
  gone,  // its process runs, but is out of the group
};

/// A message in flight, in one word that sorts by channel.
struct PackedMessage {
  std::uint32_t word = 0;

  static std::uint32_t channel(InstanceNumber from, InstanceNumber to) { return to << 4 | from; }
  static PackedMessage make(InstanceNumber from, InstanceNumber to, MessageNumber message) {
    return {channel(from, to) << 24 | message};
  }
  InstanceNumber to() const { return word >> 28; }
  InstanceNumber from() const { return word >> 24 & 15; }
  MessageNumber message() const { return word & 0xffffff; }
  std::uint32_t channel() const { return word >> 24; }
};

class State {
 public:
  /// How many words come before those of the slots.
  static constexpr std::uint32_t first = 3;

  State() = default;
  explicit State(InstanceNumber slots) : slots_(slots), size_(first + slots) {
    std::fill_n(words_.begin(), size_, 0);
  }
  /// Restores a state from its `words()`.
  State(InstanceNumber slots, std::span<const std::uint32_t> words)
      : slots_(slots), size_(static_cast<std::uint32_t>(words.size())) {
    std::copy(words.begin(), words.end(), words_.begin());
  }
  /// Copies only the words in use.
  State(const State& other) { *this = other; }
  State& operator=(const State& other) {
    slots_ = other.slots_;
    size_ = other.size_;
    std::copy_n(other.words_.begin(), size_, words_.begin());
    return *this;
  }

  InstanceNumber slots() const { return slots_; }

  // The register.
  ViewNumber view() const { return words_[0] >> 16; }
  void set_view(ViewNumber view) { words_[0] = view << 16 | ended(); }
  InstanceSet ended() const { return words_[0] & 0xffff; }
  bool has_ended(InstanceNumber slot) const { return (ended() >> slot & 1) != 0; }
  void end(InstanceNumber slot) { words_[0] |= 1U << slot; }

  /// The largest fence granted so far.
  Fence newest() const { return Fence(Epoch{words_[1] >> 16}, words_[1] & 0xffff); }
  void set_newest(Fence fence) {
    if (fence.epoch().value > 0xffff || fence.count() > 0xffff)
      throw std::length_error("a fence that a state has no room for");
    words_[1] = fence.epoch().value << 16 | static_cast<std::uint32_t>(fence.count());
  }

  std::uint32_t left(Budget budget) const { return words_[2] >> shift(budget) & budget_max; }
  void set_left(Budget budget, std::uint32_t count) {
    words_[2] &= ~(budget_max << shift(budget));
    words_[2] |= count << shift(budget);
  }
  void spend(Budget budget) { words_[2] -= 1U << shift(budget); }

  PeerStatus status(InstanceNumber slot) const {
    return static_cast<PeerStatus>(words_[first + slot] & 7);
  }
  PeerNumber peer(InstanceNumber slot) const { return words_[first + slot] >> 3; }
  void set(InstanceNumber slot, PeerStatus status, PeerNumber peer = 0) {
    words_[first + slot] = peer << 3 | static_cast<std::uint32_t>(status);
  }
  bool runs(InstanceNumber slot) const { return status(slot) == PeerStatus::running; }
  /// Whether this instance may still do anything.
  bool lives(InstanceNumber slot) const { return runs(slot) || status(slot) == PeerStatus::paused; }

  // The messages in flight. Those of one channel are in the order in which they were sent.
  std::uint32_t packets() const { return size_ - first - slots_; }
  PackedMessage packet(std::uint32_t index) const { return {words_[first + slots_ + index]}; }
  bool is_head(std::uint32_t index) const {
    return index == 0 || packet(index - 1).channel() != packet(index).channel();
  }
  void add(PackedMessage packet) {
    if (size_ == words_.size()) throw std::length_error("more in flight than a state has room for");
    std::uint32_t* end = words_.data() + size_;
    std::uint32_t* place = std::upper_bound(
        words_.data() + first + slots_, end, packet.channel(),
        [](std::uint32_t channel, std::uint32_t other) { return channel < other >> 24; });
    std::memmove(place + 1, place, static_cast<std::size_t>(end - place) * sizeof *place);
    *place = packet.word;
    ++size_;
  }
  /// Removes the oldest message of a channel, which must have one.
  PackedMessage take(InstanceNumber from, InstanceNumber to) {
    std::uint32_t* head = find(from, to);
    PackedMessage packet{*head};
    std::copy(head + 1, words_.data() + size_, head);
    --size_;
    return packet;
  }
  template <class Predicate>
  void drop(Predicate&& lost) {
    std::uint32_t* end = words_.data() + size_;
    std::uint32_t* kept =
        std::remove_if(words_.data() + first + slots_, end,
                       [&](std::uint32_t word) { return lost(PackedMessage{word}); });
    size_ -= static_cast<std::uint32_t>(end - kept);
  }

  std::span<const std::uint32_t> words() const { return {words_.data(), size_}; }

 private:
  static int shift(Budget budget) { return budget_bits * static_cast<int>(budget); }
  std::uint32_t* find(InstanceNumber from, InstanceNumber to) {
    return std::find_if(words_.data() + first + slots_, words_.data() + size_,
                        [&](std::uint32_t word) {
                          return PackedMessage{word}.channel() == PackedMessage::channel(from, to);
                        });
  }

  InstanceNumber slots_ = 0;
  std::uint32_t size_ = 0;
  std::array<std::uint32_t, 120> words_;
};

}  // namespace conch::check::group
