// Serves clients that ask about the whole group, or want it changed: a status, an eviction, a lock
// forced open. It takes the other members' answers, too.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "node/asker.hpp"
#include "node/talk.hpp"

namespace conch::node {

class Node;

/// Whether to wait for the commands of the victim to end.
enum class Haste : std::uint8_t { none, now };

class StatusSurvey {
 public:
  explicit StatusSurvey(Node& node) : node_(node) {}

  /// Answered within a second, or two if a survey is under way.
  void ask(Asker<Status> asker, Time now);
  // Requests of clients.
  void evict(ClientId client, NodeId member, Haste haste, Time now);
  void force_open(ClientId client, const std::string& lock, Haste haste, Time now);
  void left(ClientId client, Time now);

  // Other peers ask, and answer.
  void asked(const PeerInstance& by, const StatusAsk& m, Time now);
  void told(const PeerInstance& by, const StatusPart& m, Time now);
  void told(const PeerInstance& by, const Vacates& m, Time now);
  void told(const PeerInstance& by, const Vacated& m, Time now);

  void follow_view(const recovery::View& view, Time now);
  void opened(const std::string& lock);
  /// A new life of this peer is in the group, and goes on with what clients asked of the last one.
  void admitted(Time now);
  Time wakes() const;
  void look_after(Time now);

 private:
  /// A survey of the members; the awaited ones have not answered yet.
  struct Survey {
    std::uint64_t number = 0;
    std::vector<Asker<Status>> askers;
    Status status;
    std::set<PeerInstance> awaited;
    Time until;
  };
  /// A change of the view that a client has asked for.
  struct ViewChange {
    ClientId client;
    /// The life to evict, or the lock to open.
    std::variant<PeerInstance, std::string> goal;
    Time until;
  };

  /// A lock to be forced open, after the commands of the awaited members have ended.
  struct Vacating {
    ClientId client;
    std::string lock;
    std::set<PeerInstance> awaited;
    Time until;
    std::uint64_t ended = 0;
    /// A claim is inside, or may be, that does not let go when asked.
    bool is_held = false;
  };

  void force_open_now(ClientId client, const std::string& lock, Time now);
  void finish_vacating(std::uint64_t number, Time now);
  void forget_vacating_of_others(const recovery::View& view, Time now);
  void tell_patience(const Vacating& vacating, Time now);
  void begin_survey(Time now);
  void finish_survey(Time now);
  template <class AnswerTo>
  bool finish_changes(AnswerTo&& answer_to);
  std::string why_overdue(const ViewChange& change) const;
  void propose_evictions(Time now);
  void reply(ClientId client, const ClientReply& reply);

  Node& node_;
  std::uint64_t asked_ = 0;
  std::optional<Survey> survey_;
  /// The askers since the survey began.
  std::vector<Asker<Status>> next_askers_;
  std::vector<ViewChange> changes_;
  std::map<std::uint64_t, Vacating> vacating_;
};

}  // namespace conch::node
