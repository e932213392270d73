// The messages of End-to-End. Each holder has the lock in a term of its own, and terms increase.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "overlay/tenure.hpp"

namespace conch::overlay::e2e {

/// A generation has 2^12 terms. On the fence clock (fence_clock.hpp) that is about a microsecond,
/// so generations do not overtake the clock.
struct Term {
  std::uint64_t generation = 0;
  std::uint32_t sequence = 0;
  CONCH_FIELDS(Term, generation, sequence)
  friend auto operator<=>(const Term&, const Term&) = default;

  static constexpr int sequence_bits = 12;
  static constexpr std::uint32_t last_sequence = (1u << sequence_bits) - 1;

  constexpr bool is_first() const { return sequence == 1; }
  constexpr bool is_last() const { return sequence >= last_sequence; }
  constexpr Term next() const {
    CONCH_EXPECT(!is_last(), "a generation ends with its last term");
    return {generation, sequence + 1};
  }
  constexpr Fence fence() const {
    std::uint64_t number = generation << sequence_bits;
    CONCH_EXPECT(number >> sequence_bits == generation && sequence <= last_sequence &&
                     number + first_number > number,
                 "a fence has 52 bits for the generation and 12 for the sequence");
    return Fence(first_number + number + sequence);
  }
  /// The generation that contains this fence, or this time as a fence.
  static constexpr std::uint64_t generation_at(Fence fence) {
    return (std::max(fence.number(), first_number) - first_number) >> sequence_bits;
  }

 private:
  static constexpr std::uint64_t first_number = Fence(Epoch{}, 0).number();
};
inline void print_to(std::string& out, const Term& term) {
  out += std::to_string(term.generation) + "." + std::to_string(term.sequence);
}

/// The first generation whose fences are all larger than this one.
constexpr std::uint64_t generation_after(Fence fence) { return Term::generation_at(fence) + 1; }
constexpr Term first_term(std::uint64_t generation) { return {generation, 1}; }
/// A generation above all that can have been opened and forgotten since this one: an era has 2^20
/// generations, which is one second.
constexpr std::uint64_t next_era(std::uint64_t generation) {
  return ((generation >> 20) + 1) << 20;
}

/// Orders the copies of a holder's queue; the newest copy has the largest edition.
struct Edition {
  Term term;
  std::uint32_t update = 0;
  CONCH_FIELDS(Edition, term, update)
  friend auto operator<=>(const Edition&, const Edition&) = default;
};

struct Request {
  Index replica = 0;
  Priority ts;
  /// The requester accepts no vote of an earlier generation, and no entry of one may intercept it.
  std::uint64_t least = 0;
  std::uint64_t seen = 0;
  std::uint64_t yielded = 0;
  /// Entries do not intercept this request.
  bool forced = false;
  /// The data of the generation before `least`: a message that names a generation carries its data.
  DataRef data = {};
  CONCH_FIELDS(Request, replica, ts, least, seen, yielded, forced, data)
};
struct Response {
  Index replica = 0;
  Priority request;
  std::uint64_t generation = 0;
  std::optional<Priority> owner;
  std::uint64_t version = 0;
  std::uint64_t vote = 0;
  DataRef data;
  CONCH_FIELDS(Response, replica, request, generation, owner, version, vote, data)
};
struct Yield {
  Index replica = 0;
  Priority ts;
  std::uint64_t vote = 0;
  CONCH_FIELDS(Yield, replica, ts, vote)
};
/// VOTEREL: gives back a vote, a place in the queue, or a lock that was never used.
struct Withdraw {
  Index replica = 0;
  Priority ts;
  CONCH_FIELDS(Withdraw, replica, ts)
};
/// IAMWINNER.
struct Winner {
  Index replica = 0;
  Term term;
  Priority ts;
  /// 0 if a node on the path repeats the message.
  std::uint32_t round = 0;
  NodeId via;
  CONCH_FIELDS(Winner, replica, term, ts, round, via)
};
struct Renew {
  Index replica = 0;
  Term term;
  Priority ts;
  std::uint32_t round = 0;
  /// The sender is inside, so enough others have acknowledged it.
  bool held = false;
  CONCH_FIELDS(Renew, replica, term, ts, round, held)
};
struct Renewed {
  Index replica = 0;
  Term term;
  std::uint32_t round = 0;
  bool accepted = true;
  std::uint64_t generation = 0;
  CONCH_FIELDS(Renewed, replica, term, round, accepted, generation)
};
struct Enqueue {
  std::vector<Priority> requests;
  /// The holder's term, as far as the sender knows.
  Term term;
  CONCH_FIELDS(Enqueue, requests, term)
};
struct Retry {
  std::uint64_t generation = 0;
  DataRef data = {};
  CONCH_FIELDS(Retry, generation, data)
};
struct Hint {
  Term term;
  NodeId holder;
  CONCH_FIELDS(Hint, term, holder)
};
struct Token {
  Term term;
  Priority to;
  std::vector<Priority> queue;
  DataRef data;
  CONCH_FIELDS(Token, term, to, queue, data)
};
struct Release {
  Index replica = 0;
  Term term;
  DataRef data;
  CONCH_FIELDS(Release, replica, term, data)
};
/// Variant T2: removes the entries that IAMWINNER left on the path.
struct Cleanup {
  Index replica = 0;
  Term term;
  CONCH_FIELDS(Cleanup, replica, term)
};

struct Copy {
  Edition edition;
  std::vector<Priority> queue;
  DataRef data;
  CONCH_FIELDS(Copy, edition, queue, data)
};
struct Ping {
  Term term;
  CONCH_FIELDS(Ping, term)
};
struct Pong {
  Term term;
  CONCH_FIELDS(Pong, term)
};
struct Takeover {
  Index replica = 0;
  Edition edition;
  Priority ts;
  CONCH_FIELDS(Takeover, replica, edition, ts)
};
struct Accepted {
  Index replica = 0;
  Term term;
  Priority ts;
  CONCH_FIELDS(Accepted, replica, term, ts)
};

struct Moved {
  Index replica = 0;
  bool known = false;
  std::uint64_t generation = 0;
  /// `term` is the holder's if the replica is locked; `owner` is the holder's request then,
  /// otherwise the one voted for.
  std::optional<Term> term;
  std::optional<Priority> owner;
  std::uint64_t version = 0;
  std::uint64_t vote = 0;
  std::vector<Priority> waiting;
  DataRef data;
  CONCH_FIELDS(Moved, replica, known, generation, term, owner, version, vote, waiting, data)
};

using Message = std::variant<Request, Response, Yield, Withdraw, Winner, Renew, Renewed, Enqueue,
                             Retry, Hint, Token, Release, Cleanup, Copy, Ping, Pong, Takeover,
                             Accepted, Moved, Recall, Recalled>;

/// Whether a message is addressed to a replica, whichever node serves it.
template <class M>
inline constexpr bool for_replicas = requires(const M& m) {
  m.replica;
}
&&!std::same_as<M, Response> && !std::same_as<M, Renewed> && !std::same_as<M, Accepted> &&
    !std::same_as<M, Recalled>;

}  // namespace conch::overlay::e2e
