// One global state of the system as a short array of 32-bit words: the nodes' local states, what
// the oracles remember (fence and data version), the remaining budgets, and the messages in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>

#include "check/model.hpp"

namespace conch::check {

/// Kinds of events that may happen a bounded number of times in a run. Two values share their slot:
/// no node leaves an election, so `retire` reuses `leave`; only protocols over an overlay count
/// timers, and no node restarts there, so `timer` reuses `restart`.
enum class Budget : std::uint8_t {
  cancel,
  leave,
  join,
  duplicate,
  lose,
  crash,
  suspect,
  restart,
  retire = leave,
  timer = restart
};
inline constexpr int budget_bits = 4;
inline constexpr std::uint32_t budget_max = (1 << budget_bits) - 1;

/// A message in flight, in one word that sorts by channel.
struct PackedMessage {
  std::uint32_t word = 0;

  static PackedMessage make(Node from, Node to, MessageId message) {
    return {to << 28 | from << 24 | message.number};
  }
  Node to() const { return word >> 28; }
  Node from() const { return word >> 24 & 15; }
  MessageId message() const { return {word & (MessageId::limit - 1)}; }
  std::uint32_t channel() const { return word >> 24; }
  /// Elections only: a tick has passed since the message was sent. Elections have no token, so this
  /// reuses the token's bit.
  bool old() const { return (word & 1) != 0; }
  friend auto operator<=>(const PackedMessage&, const PackedMessage&) = default;
};

class State {
 public:
  State() = default;
  explicit State(Node nodes) : nodes_(nodes), size_(nodes + 3) {
    std::fill_n(words_.begin(), size_, 0);
  }
  /// Restores a state from its `words()`.
  State(Node nodes, std::span<const std::uint32_t> words)
      : nodes_(nodes), size_(static_cast<std::uint32_t>(words.size())) {
    std::copy(words.begin(), words.end(), words_.begin());
  }
  /// Copies only the words in use.
  State(const State& other) { *this = other; }
  State& operator=(const State& other) {
    nodes_ = other.nodes_;
    size_ = other.size_;
    std::copy_n(other.words_.begin(), size_, words_.begin());
    return *this;
  }

  Node nodes() const { return nodes_; }
  LocalId local(Node node) const { return {words_[node]}; }
  void set_local(Node node, LocalId local) { words_[node] = local.number; }

  /// The rank of the newest writer's fence, and the version of the data released last.
  std::uint32_t fence() const { return words_[nodes_]; }
  void set_fence(std::uint32_t count) { words_[nodes_] = count; }
  std::uint32_t version() const { return words_[nodes_ + 1]; }
  void set_version(std::uint32_t version) { words_[nodes_ + 1] = version; }
  /// Set after a crash: the last writer's data may be lost, so the next entry may bring any
  /// version.
  static constexpr std::uint32_t any_version = ~0U;

  /// All remaining budgets in one word.
  std::uint32_t budgets() const { return words_[nodes_ + 2]; }
  std::uint32_t left(Budget budget) const {
    return words_[nodes_ + 2] >> shift(budget) & budget_max;
  }
  void set_left(Budget budget, std::uint32_t count) {
    words_[nodes_ + 2] &= ~(budget_max << shift(budget));
    words_[nodes_ + 2] |= count << shift(budget);
  }
  void spend(Budget budget) { words_[nodes_ + 2] -= 1U << shift(budget); }

  std::uint32_t packets() const { return size_ - nodes_ - 3; }
  PackedMessage packet(std::uint32_t index) const { return {words_[nodes_ + 3 + index]}; }
  /// Inserts the message behind the others of its channel if channels are FIFO, otherwise in sorted
  /// order.
  void add(PackedMessage packet, bool fifo) {
    if (size_ == words_.size()) throw std::length_error("too many messages in flight at once");
    std::uint32_t* end = words_.data() + size_;
    std::uint32_t ignored = fifo ? MessageId::limit - 1 : 0;
    std::uint32_t* place = std::upper_bound(
        words_.data() + nodes_ + 3, end, packet.word | ignored,
        [&](std::uint32_t key, std::uint32_t word) { return key < (word | ignored); });
    std::memmove(place + 1, place, static_cast<std::size_t>(end - place) * sizeof *place);
    *place = packet.word;
    ++size_;
  }
  /// Elections only: makes all messages a tick older. Their order does not change.
  void age() {
    for (std::uint32_t i = nodes_ + 3; i < size_; ++i) words_[i] |= 1;
  }
  void remove(std::uint32_t index) {
    std::uint32_t* place = words_.data() + nodes_ + 3 + index;
    std::uint32_t* end = words_.data() + size_;
    std::memmove(place, place + 1, static_cast<std::size_t>(end - place - 1) * sizeof *place);
    --size_;
  }

  std::span<const std::uint32_t> words() const { return {words_.data(), size_}; }

 private:
  static int shift(Budget budget) { return budget_bits * static_cast<int>(budget); }

  Node nodes_ = 0;
  std::uint32_t size_ = 0;
  std::array<std::uint32_t, 120> words_;
};

}  // namespace conch::check
