// Which processes hold a lock and which wait for it, in the whole group: it takes the others'
// answers. Members of version 1 are not asked.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "net/courier.hpp"
#include "peer/claim.hpp"
#include "peer/talk.hpp"

namespace conch::peer {

class Engine;

/// The first protocol version that has this question.
inline constexpr std::uint32_t claims_version = 2;

/// What a claim has at this lock, or at any if it is empty.
void add_claim(const Claim& claim, const std::string& lock, Time now,
               std::vector<ClaimPart>& found);

/// Under the engine's guard, like everything of it.
class ClaimSurvey {
 public:
  explicit ClaimSurvey(Engine& engine) : engine_(engine) {}

  void ask(net::ClientId client, const AskClaims& m, Time now);
  /// A thread of this process, about all locks; told under the guard.
  void ask(std::function<void(Claims)> told, Time now);
  void left(net::ClientId client);

  // Other peers ask, and answer.
  void asked(const recovery::Life& by, const ClaimsAsk& m);
  void told(const recovery::Life& by, ClaimsPart part);

  Time wakes() const;
  void look_after(Time now);

 private:
  struct Survey {
    /// A client, or a thread of this process.
    std::variant<net::ClientId, std::function<void(Claims)>> asker;
    std::string lock;
    Time until;
    Claims claims = {};
    std::set<recovery::Life> awaited = {};
  };

  void begin(Survey survey, Time now);
  void finish(std::uint64_t number);

  Engine& engine_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, Survey> surveys_;
};

}  // namespace conch::peer
