// What a client wants to know of the whole group, or done by it: it takes the others' answers.
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

/// Whether the commands of a victim are waited for.
enum class Haste : std::uint8_t { none, now };

class Inquiries {
 public:
  explicit Inquiries(Node& node) : node_(node) {}

  /// Told within a second, or two if others have asked before.
  void ask(Asker<Status> asker, Time now);
  // Clients ask.
  void evict(ClientId client, NodeId member, Haste haste, Time now);
  void force_open(ClientId client, const std::string& lock, Haste haste, Time now);
  void left(ClientId client, Time now);

  // Other peers ask, and answer.
  void asked(const recovery::Life& by, const StatusAsk& m, Time now);
  void told(const recovery::Life& by, const StatusPart& m, Time now);
  void told(const recovery::Life& by, const Vacates& m, Time now);
  void told(const recovery::Life& by, const Vacated& m, Time now);

  void follow_view(const recovery::View& view, Time now);
  void opened(const std::string& lock);
  /// A new life of this peer is in the group: it goes on with what the last one was asked for.
  void admitted(Time now);
  Time wakes() const;
  void look_after(Time now);

 private:
  /// Who has not said how it is.
  struct Survey {
    std::uint64_t number = 0;
    std::vector<Asker<Status>> askers;
    Status status;
    std::set<recovery::Life> awaited;
    Time until;
  };
  /// A change of the view that was asked for.
  struct Errand {
    ClientId client;
    /// Who is to be out, or which lock open.
    std::variant<recovery::Life, std::string> goal;
    Time until;
  };

  /// Whose commands are to end before a lock is forced open.
  struct Vacating {
    ClientId client;
    std::string lock;
    std::set<recovery::Life> awaited;
    Time until;
    std::uint64_t ended = 0;
    /// Somebody is inside, or may be, who does not let go when it is asked to.
    bool is_held = false;
  };

  void force_open_now(ClientId client, const std::string& lock, Time now);
  void finish_vacating(std::uint64_t number, Time now);
  void forget_vacating_of_others(const recovery::View& view, Time now);
  void tell_patience(const Vacating& vacating, Time now);
  void begin_survey(Time now);
  void finish_survey(Time now);
  template <class AnswerTo>
  bool finish_errands(AnswerTo&& answer_to);
  std::string why_overdue(const Errand& errand) const;
  void propose_evictions(Time now);
  void reply(ClientId client, const ClientReply& reply);

  Node& node_;
  std::uint64_t asked_ = 0;
  std::optional<Survey> survey_;
  /// Those who have asked since it began.
  std::vector<Asker<Status>> next_askers_;
  std::vector<Errand> errands_;
  std::map<std::uint64_t, Vacating> vacating_;
};

}  // namespace conch::node
