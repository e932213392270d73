// Which processes hold a lock and which wait for it, in the whole group: it takes the others'
// answers. Members of version 1 are not asked.
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

/// The first protocol version that has this question.
inline constexpr std::uint32_t claims_version = 2;

/// What a claim has at this lock, or at any if it is empty.
void add_claim(const Claim& claim, const std::string& lock, Time now,
               std::vector<ClaimPart>& found);

class ClaimSurvey {
 public:
  explicit ClaimSurvey(Node& node) : node_(node) {}

  void ask(ClientId client, const AskClaims& m, Time now);
  /// About all locks: told within a second, or two if others have asked before.
  void ask(Asker<Claims> asker, Time now);
  void left(ClientId client);

  // Other peers ask, and answer.
  void asked(const recovery::Life& by, const ClaimsAsk& m, Time now);
  void told(const recovery::Life& by, ClaimsPart part, Time now);

  Time wakes() const;
  void look_after(Time now);

 private:
  struct Survey {
    std::vector<Asker<Claims>> askers;
    /// Empty: of all locks. There is one such survey at a time.
    std::string lock;
    Time until;
    Claims claims = {};
    std::set<recovery::Life> awaited = {};
  };

  void begin(Survey survey, Time now);
  void finish(std::uint64_t number, Time now);
  bool asks_about_all() const;

  Node& node_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, Survey> surveys_;
  /// Those who have asked about all locks since that survey began.
  std::vector<Asker<Claims>> next_askers_;
};

}  // namespace conch::node
