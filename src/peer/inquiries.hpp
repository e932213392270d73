// What a client wants to know of the whole group, or done by it: it takes the others' answers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "net/courier.hpp"
#include "peer/asker.hpp"
#include "peer/talk.hpp"

namespace conch::peer {

class Engine;

/// Whether the commands of a victim are waited for.
enum class Haste : std::uint8_t { none, now };

/// Under the engine's guard, like everything of it.
class Inquiries {
 public:
  explicit Inquiries(Engine& engine) : engine_(engine) {}

  /// Told within a second, or two if others have asked before.
  void ask(Asker<Status> asker, Time now);
  // Clients ask.
  void evict(net::ClientId client, NodeId member, Haste haste, Time now);
  void force_open(net::ClientId client, const std::string& lock, Haste haste, Time now);
  void left(net::ClientId client);

  // Other peers ask, and answer.
  void asked(const recovery::Life& by, const StatusAsk& m);
  void told(const recovery::Life& by, const StatusPart& m);
  void told(const recovery::Life& by, const Vacates& m);
  void told(const recovery::Life& by, const Vacated& m);

  void follow_view(const recovery::View& view, Time now);
  void opened(const std::string& lock);
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
    net::ClientId client;
    /// Who is to be out, or which lock open.
    std::variant<recovery::Life, std::string> goal;
    Time until;
  };

  /// Whose commands are to end before a lock is forced open.
  struct Vacating {
    net::ClientId client;
    std::string lock;
    std::set<recovery::Life> awaited;
    Time until;
    std::uint64_t ended = 0;
    bool is_held = false;
  };

  void force_open_now(net::ClientId client, const std::string& lock, Time now);
  void finish_vacating(std::uint64_t number, Time now);
  void forget_vacating_of_others(const recovery::View& view, Time now);
  void tell_patience(const Vacating& vacating, Time now);
  void begin_survey(Time now);
  void finish_survey(Time now);
  template <class AnswerTo>
  bool finish_errands(AnswerTo&& answer_to);
  std::string why_overdue(const Errand& errand) const;
  void propose_evictions(Time now);
  void reply(net::ClientId client, const ClientReply& reply);

  Engine& engine_;
  std::uint64_t asked_ = 0;
  std::optional<Survey> survey_;
  /// Those who have asked since it began.
  std::vector<Asker<Status>> next_askers_;
  std::vector<Errand> errands_;
  std::map<std::uint64_t, Vacating> vacating_;
};

}  // namespace conch::peer
