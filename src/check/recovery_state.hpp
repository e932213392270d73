// A global state of a group that recovers, in a few words: the register, what the oracles remember,
// what may still happen, the peers, and the messages in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>

#include "check/recovery_model.hpp"

namespace conch::check::group {

/// How often each thing may happen in one run.
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

enum class Status : std::uint8_t {
  absent,  // not started yet
  running,
  paused,
  crashed,
  gone,  // it runs, and is out of the group
};

/// A message in flight, in one word that sorts by channel.
struct Packet {
  std::uint32_t word = 0;

  static std::uint32_t channel(Slot from, Slot to) { return to << 4 | from; }
  static Packet make(Slot from, Slot to, MessageNumber message) {
    return {channel(from, to) << 24 | message};
  }
  Slot to() const { return word >> 28; }
  Slot from() const { return word >> 24 & 15; }
  MessageNumber message() const { return word & 0xffffff; }
  std::uint32_t channel() const { return word >> 24; }
};

class State {
 public:
  State() = default;
  explicit State(Slot slots) : slots_(slots), size_(first + slots) {
    std::fill_n(words_.begin(), size_, 0);
  }
  /// As `words` gave it.
  State(Slot slots, std::span<const std::uint32_t> words)
      : slots_(slots), size_(static_cast<std::uint32_t>(words.size())) {
    std::copy(words.begin(), words.end(), words_.begin());
  }

  Slot slots() const { return slots_; }

  // The register.
  ViewNumber view() const { return words_[0] >> 16; }
  void set_view(ViewNumber view) { words_[0] = view << 16 | ended(); }
  Slots ended() const { return words_[0] & 0xffff; }
  bool has_ended(Slot slot) const { return (ended() >> slot & 1) != 0; }
  void end(Slot slot) { words_[0] |= 1U << slot; }

  /// The largest fence that anybody was granted.
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

  Status status(Slot slot) const { return static_cast<Status>(words_[first + slot] & 7); }
  PeerNumber peer(Slot slot) const { return words_[first + slot] >> 3; }
  void set(Slot slot, Status status, PeerNumber peer = 0) {
    words_[first + slot] = peer << 3 | static_cast<std::uint32_t>(status);
  }
  bool runs(Slot slot) const { return status(slot) == Status::running; }
  /// Whether it will ever do anything again.
  bool lives(Slot slot) const { return runs(slot) || status(slot) == Status::paused; }

  // In flight; those of one channel in the order in which they were sent.
  std::uint32_t packets() const { return size_ - first - slots_; }
  Packet packet(std::uint32_t index) const { return {words_[first + slots_ + index]}; }
  bool is_head(std::uint32_t index) const {
    return index == 0 || packet(index - 1).channel() != packet(index).channel();
  }
  void add(Packet packet) {
    if (size_ == words_.size()) throw std::length_error("more in flight than a state has room for");
    std::uint32_t* end = words_.data() + size_;
    std::uint32_t* place = std::upper_bound(
        words_.data() + first + slots_, end, packet.channel(),
        [](std::uint32_t channel, std::uint32_t other) { return channel < other >> 24; });
    std::memmove(place + 1, place, static_cast<std::size_t>(end - place) * sizeof *place);
    *place = packet.word;
    ++size_;
  }
  /// The oldest of a channel, which has one.
  Packet take(Slot from, Slot to) {
    std::uint32_t* head = find(from, to);
    Packet packet{*head};
    std::copy(head + 1, words_.data() + size_, head);
    --size_;
    return packet;
  }
  template <class Predicate>
  void drop(Predicate&& lost) {
    std::uint32_t* end = words_.data() + size_;
    std::uint32_t* kept = std::remove_if(words_.data() + first + slots_, end,
                                         [&](std::uint32_t word) { return lost(Packet{word}); });
    size_ -= static_cast<std::uint32_t>(end - kept);
  }

  std::span<const std::uint32_t> words() const { return {words_.data(), size_}; }

 private:
  static constexpr std::uint32_t first = 3;
  static int shift(Budget budget) { return budget_bits * static_cast<int>(budget); }
  std::uint32_t* find(Slot from, Slot to) {
    return std::find_if(
        words_.data() + first + slots_, words_.data() + size_,
        [&](std::uint32_t word) { return Packet{word}.channel() == Packet::channel(from, to); });
  }

  Slot slots_ = 0;
  std::uint32_t size_ = 0;
  std::array<std::uint32_t, 120> words_;
};

}  // namespace conch::check::group
