// Finds out which processes of the whole group hold a lock or wait for it, by asking all members.
// Members of protocol version 1 are not asked.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "node/asker.hpp"
#include "node/claim.hpp"
#include "node/talk.hpp"

namespace conch::node {

class Node;

/// The first protocol version that has these messages.
inline constexpr std::uint32_t claims_version = 2;

/// Adds the claim if it has a place at this lock; at any lock if `lock` is empty.
void add_claim(const Claim& claim, const std::string& lock, Time now,
               std::vector<ClaimPart>& found);

class ClaimSurvey {
 public:
  explicit ClaimSurvey(Node& node) : node_(node) {}

  void ask(ClientId client, const AskClaims& m, Time now);
  /// A survey of all locks: answered within a second, or two if one is under way.
  void ask(Asker<Claims> asker, Time now);
  void left(ClientId client);

  // Other peers ask, and answer.
  void asked(const PeerInstance& by, const ClaimsAsk& m, Time now);
  void told(const PeerInstance& by, ClaimsPart part, Time now);

  Time wakes() const;
  void look_after(Time now);

 private:
  struct Survey {
    std::vector<Asker<Claims>> askers;
    /// Empty for a survey of all locks; only one of those is under way at a time.
    std::string lock;
    Time until;
    Claims claims = {};
    std::set<PeerInstance> awaited = {};
  };

  void begin(Survey survey, Time now);
  void finish(std::uint64_t number, Time now);
  bool asks_about_all() const;

  Node& node_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, Survey> surveys_;
  /// The askers about all locks since the current survey of all locks began.
  std::vector<Asker<Claims>> next_askers_;
};

}  // namespace conch::node
