// A global state in a few words: the nodes' local states, what the oracles remember, what may still
// go wrong, and the messages in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>

#include "check/model.hpp"

namespace conch::check {

/// How often each thing may happen in one run. Nobody leaves an election, but coordinators retire;
/// and the timers of a protocol over an overlay are counted.
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
struct Packet {
  std::uint32_t word = 0;

  static Packet make(Node from, Node to, MessageId message) {
    return {to << 28 | from << 24 | message.number};
  }
  Node to() const { return word >> 28; }
  Node from() const { return word >> 24 & 15; }
  MessageId message() const { return {word & (MessageId::limit - 1)}; }
  std::uint32_t channel() const { return word >> 24; }
  /// Of an election, where there is no token and its bit means that a tick has passed.
  bool old() const { return (word & 1) != 0; }
  friend auto operator<=>(const Packet&, const Packet&) = default;
};

class State {
 public:
  State() = default;
  explicit State(Node nodes) : nodes_(nodes), size_(nodes + 3) {
    std::fill_n(words_.begin(), size_, 0);
  }
  /// As `words` gave it.
  State(Node nodes, std::span<const std::uint32_t> words)
      : nodes_(nodes), size_(static_cast<std::uint32_t>(words.size())) {
    std::copy(words.begin(), words.end(), words_.begin());
  }

  Node nodes() const { return nodes_; }
  LocalId local(Node node) const { return {words_[node]}; }
  void set_local(Node node, LocalId local) { words_[node] = local.number; }

  /// The count of the newest writer's fence, and the version of the data that was released last.
  std::uint32_t fence() const { return words_[nodes_]; }
  void set_fence(std::uint32_t count) { words_[nodes_] = count; }
  std::uint32_t version() const { return words_[nodes_ + 1]; }
  void set_version(std::uint32_t version) { words_[nodes_ + 1] = version; }
  /// After a crash: the data of the last writer may be lost.
  static constexpr std::uint32_t any_version = ~0U;

  std::uint32_t left(Budget budget) const {
    return words_[nodes_ + 2] >> shift(budget) & budget_max;
  }
  void set_left(Budget budget, std::uint32_t count) {
    words_[nodes_ + 2] &= ~(budget_max << shift(budget));
    words_[nodes_ + 2] |= count << shift(budget);
  }
  void spend(Budget budget) { words_[nodes_ + 2] -= 1U << shift(budget); }

  std::uint32_t packets() const { return size_ - nodes_ - 3; }
  Packet packet(std::uint32_t index) const { return {words_[nodes_ + 3 + index]}; }
  /// Behind the others of its channel if that is FIFO; else where it sorts.
  void add(Packet packet, bool fifo) {
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
  /// Of an election: all messages are a tick older. Their order does not change.
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

/// 128 bits of a state.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

inline Fingerprint fingerprint(std::span<const std::uint32_t> words) {
  std::uint64_t a = 0x9e3779b97f4a7c15 ^ words.size();
  std::uint64_t b = 0xd1b54a32d192ed03;
  for (std::uint32_t word : words) {
    a = (a ^ word) * 0xff51afd7ed558ccd;
    a ^= a >> 32;
    b = (b + word) * 0xc4ceb9fe1a85ec53;
    b ^= b >> 29;
  }
  a *= 0x9fb21c651e98df25;
  b *= 0xd6e8feb86659fd93;
  return {a ^ (a >> 31) ^ b, b ^ (b >> 33)};
}

}  // namespace conch::check
