// What the protocols over an overlay decide where their papers are wrong or say nothing: the
// corrections of docs/corrections.md.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/replicas.hpp"
#include "overlay/routing.hpp"

namespace conch::overlay {

namespace e2e {
struct Term;
struct Cleanup;
struct Release;
}  // namespace e2e

class ProtocolPolicy : public Policy {
 public:
  using Requests = std::vector<Priority>;
  using Parting = std::optional<std::variant<e2e::Cleanup, e2e::Release>>;

  // Counting votes.
  /// The votes that it takes to win.
  virtual Index needed(const Replicas& replicas) const { return replicas.majority(); }
  /// Whether a vote for a request that is over goes back.
  virtual bool gives_back(bool is_stale_vote) const { return is_stale_vote; }
  /// Whether a client knows newer things of a replica, or has yielded this vote.
  virtual bool knows_better(bool is_older) const { return is_older; }
  /// For a replica: whether a message is about its last vote.
  virtual bool is_current(std::uint64_t vote, std::uint64_t said) const { return vote == said; }
  /// For End-to-End: whether a vote is of a generation before the newest.
  virtual bool is_past(std::uint64_t generation, std::uint64_t newest) const {
    return generation < newest;
  }

  // Yielding.
  /// Whether a client also yields when a replica does not answer.
  virtual bool loses_patience() const { return true; }
  /// Whether a client waits before it yields again.
  virtual bool backs_off(bool has_yielded) const { return has_yielded; }
  /// Whether a client sends its requests past entries, after it has lost patience so often.
  virtual bool insists(std::uint32_t impatience) const { return impatience % 3 == 0; }

  // Leases.
  /// Whether a replica takes its vote back from a silent client.
  virtual bool watches_holders() const { return true; }
  /// Whether a holder gives up when its lease has run out.
  virtual bool forfeits() const { return true; }
  /// For a replica: whether it still votes for the sender of a renewal.
  virtual bool confirms(bool is_owner) const { return is_owner; }
  /// Whether votes need no confirmation.
  virtual bool enters_at_once(bool is_leased) const { return !is_leased; }
  /// The newest baton that a replica knows when a client is about to enter.
  virtual Baton stored(const Baton& known, const Baton& told) const { return later(known, told); }
  /// For how long a root acts for its keys without its neighbours.
  virtual Duration root_lease(Duration lease) const { return lease; }

  // Becoming a root.
  /// Whether a new root, or one that has forgotten its votes, waits before it votes.
  virtual bool has_quarantine(bool is_leased) const { return is_leased; }
  virtual bool has_forgotten(bool is_founder) const { return !is_founder; }
  virtual bool confirms_unnamed(bool is_open) const { return is_open; }
  virtual Fence time(Fence /*known*/, Fence told) const { return told; }
  /// Whether a root begins a new era when too few replicas know the last fence.
  virtual bool begins_era(bool /*somebody_knew*/) const { return true; }

  // The token of End-to-End.
  /// Whether a generation was won here, so that its votes are not given back.
  virtual bool has_won(std::uint64_t generation, std::uint64_t last) const {
    return generation <= last;
  }
  /// Whether a token of this term has been here before.
  virtual bool is_copy(const e2e::Term& term, const e2e::Term& last) const;
  /// Whether a node takes a token, though its own request may be over.
  virtual bool takes_token(bool /*is_ours*/) const { return true; }
  /// Whether a node takes the token back from a receiver that it suspects of having crashed.
  virtual bool comes_back(bool /*is_suspected*/) const { return false; }
  /// The message that a replica gets when the token is handed on.
  virtual Parting parting(Index replica, const e2e::Term& term, const DataRef& data,
                          HandOff hand_off) const;

  // The queue of End-to-End.
  /// The requests of which a replica tells its holder.
  virtual Requests told_to_holder(Requests requests) const { return requests; }
  /// The request that had the vote of a replica when another one won.
  virtual Requests overridden(const Priority& owner) const { return {owner}; }
  /// Which requests a node keeps that are queued with it before its token comes.
  virtual Requests queued_early(const Requests& requests) const { return requests; }
  /// Whether a past holder handles requests that are queued with it after it has left.
  virtual bool minds_late_requests() const { return true; }
  /// The generation below which no entry intercepts a request.
  virtual std::uint64_t least(std::uint64_t generation) const { return generation; }
  /// Whether a client has asked for this generation already.
  virtual bool has_retried(std::uint64_t generation, std::uint64_t retried,
                           std::uint64_t /*newest*/) const {
    return generation <= retried;
  }

  // The ways of Non-End-to-End.
  /// What becomes of a RELEASE at a node without an entry.
  virtual Passage off_the_way() const { return Passage::go_on; }
  /// Whether the replica may have voted for the request that a RELEASE ends.
  virtual bool may_have_voted(bool voted) const { return voted; }
};

}  // namespace conch::overlay
