#include "node/clients.hpp"

#include <conch/error.hpp>

#include "node/claim_survey.hpp"
#include "node/names.hpp"
#include "node/node.hpp"
#include "node/status_survey.hpp"

namespace conch::node {

class Clients::ClientClaim final : public Claim {
 public:
  ClientClaim(Clients& clients, ClientId client, const Acquire& m)
      : Claim(m.shared ? Mode::read : Mode::write),
        client(client),
        number(m.claim),
        lock(m.lock),
        clients_(clients) {}
  ~ClientClaim() override {
    if (local_lock) --local_lock->users;
  }
  ClientClaim(const ClientClaim&) = delete;
  ClientClaim& operator=(const ClientClaim&) = delete;

  /// The local lock lives as long as the claim: a command that has lost its lock may take time to
  /// end.
  void stand_in_line(Node& node, Time now) {
    LocalLock& line = node.local_lock_at(lock);
    ++line.users;
    node.take_place(*this, line, now);
  }

  const ClientId client;
  const std::uint64_t number;
  const std::string lock;
  std::optional<Time> deadline;
  /// How long nobody else may enter after this peer has vanished.
  Duration lock_delay{};

  bool is_own() const override { return false; }
  void changed() override {
    clients_.forget_deadline(*this);
    switch (state) {
      case State::inside: return clients_.let_in(*this);
      case State::lost: return tell_loss();
      case State::refused:
        return clients_.reply(client, NotEntered{number, "the peer leaves the group", true});
      case State::idle:
      case State::waiting: return;
    }
  }
  bool is_command() const override { return true; }
  void asked_to_let_go() override { tell_loss(); }

 private:
  void tell_loss() {
    if (!std::exchange(knows_loss_, true)) clients_.reply(client, LostLock{number});
  }

  Clients& clients_;
  bool knows_loss_ = false;
};

Clients::Clients(Node& node) : node_(node) {}
Clients::~Clients() = default;

void Clients::came(ClientId client) { clients_[client]; }

void Clients::said(ClientId client, std::string_view payload, Time now) {
  std::string why;
  auto message = unpacked<ClientMessage>(payload, why);
  if (!message) {
    node_.log("malformed message from a client: " + why);
    reply(client, Failed{"malformed message: " + why});
    return node_.dismiss(client);
  }
  std::visit([&](const auto& chosen) { take(client, chosen, now); }, *message);
}

void Clients::left(ClientId client, Time now) {
  auto found = clients_.find(client);
  if (found == clients_.end()) return;
  for (auto& [number, claim] : found->second) give_up(*claim, now);
  clients_.erase(found);
  commands_.erase(client);
  lock_delays_.erase(client);
}

void Clients::give_up(ClientClaim& claim, Time now) {
  forget_deadline(claim);
  std::erase(unrecorded_, &claim);
  if (claim.local_lock) node_.drop_place(claim, now);
}

void Clients::forget_deadline(ClientClaim& claim) {
  if (claim.deadline) deadlines_.erase({*claim.deadline, &claim});
  claim.deadline.reset();
}

Time Clients::wakes() const { return deadlines_.empty() ? Time::max() : deadlines_.begin()->first; }

void Clients::look_after(Time now) {
  while (wakes() <= now) {
    ClientClaim& claim = *deadlines_.begin()->second;
    give_up(claim, now);
    reply(claim.client, NotEntered{claim.number, std::string(not_free), false});
    clients_[claim.client].erase(claim.number);
  }
}

void Clients::reply(ClientId client, const ClientReply& reply) {
  std::string bytes;
  encode(bytes, reply);
  node_.send(client, bytes);
}

/// The reply carries what the command's keeper needs to outlast this peer (cli/keeper.hpp).
void Clients::let_in(const ClientClaim& claim) {
  std::string bytes;
  encode(bytes, ClientReply(Entered{claim.number, claim.fence}));
  node_.let_in(claim.client, bytes);
}

std::string Clients::objection(ClientId client, const Acquire& m) const {
  if (!node_.options().serves_clients)
    return "this peer is short-lived and serves no clients; start one with `conch peer`";
  if (node_.channels().is_surplus(client))
    return "this peer serves " + std::to_string(clients_.size() - 1) +
           " clients already, as many as its limit of open files allows; raise `ulimit -n`";
  if (m.shared && !node_.algorithm().can.shared) return node_.why_not_shared();
  if (lock_delays_.contains(client))
    if (std::string why = node_.why_no_lock_delay(); !why.empty()) return why;
  const ClaimsByNumber& claims = clients_.at(client);
  if (claims.contains(m.claim)) return "claim " + std::to_string(m.claim) + " is in use";
  if (claims.size() == claims_max)
    return "one client has at most " + std::to_string(claims_max) + " claims at a time";
  try {
    check_lock_name(m.lock);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void Clients::take(ClientId client, const Acquire& m, Time now) {
  if (std::string why = objection(client, m); !why.empty())
    return reply(client, NotEntered{m.claim, why, false});
  if (!node_.is_member())
    return reply(client, NotEntered{m.claim, "the peer leaves the group", true});
  LocalLock& local_lock = node_.local_lock_at(m.lock);
  if (m.once && !local_lock.queue.idle())
    return reply(client, NotEntered{m.claim, std::string(not_free), false});
  std::unique_ptr<ClientClaim>& claim = clients_[client][m.claim];
  claim = std::make_unique<ClientClaim>(*this, client, m);
  std::optional<Duration> patience = m.once ? node_.options().try_patience : m.patience;
  if (patience) {
    claim->deadline = now + *patience;
    deadlines_.insert({*claim->deadline, claim.get()});
  }
  if (auto found = lock_delays_.find(client); found != lock_delays_.end())
    claim->lock_delay = found->second;
  if (node_.delay_locks(claim->lock_delay, now)) return claim->stand_in_line(node_, now);
  unrecorded_.push_back(claim.get());
}

/// A claim gets in line only once the register has recorded its lock delay.
void Clients::lock_delay_recorded(Time now) {
  for (ClientClaim* claim : std::exchange(unrecorded_, {})) {
    if (!node_.is_member()) {
      claim->state = Claim::State::refused;
      claim->changed();
    } else if (node_.delay_locks(claim->lock_delay, now)) {
      claim->stand_in_line(node_, now);
    } else {
      unrecorded_.push_back(claim);
    }
  }
}

void Clients::take(ClientId client, const LockDelay& m, Time) { lock_delays_[client] = m.length; }

void Clients::take(ClientId client, const GiveUp& m, Time now) {
  ClaimsByNumber& claims = clients_[client];
  auto found = claims.find(m.claim);
  if (found == claims.end()) return;
  give_up(*found->second, now);
  claims.erase(found);
}

void Clients::take(ClientId client, const AskStatus&, Time now) {
  node_.status_survey().ask(client, now);
}

void Clients::take(ClientId client, const Evict& m, Time now) {
  node_.status_survey().evict(client, m.member, Haste::none, now);
}

void Clients::take(ClientId client, const EvictNow& m, Time now) {
  node_.status_survey().evict(client, m.member, Haste::now, now);
}

void Clients::take(ClientId client, const ForceOpen& m, Time now) {
  force_open(client, m.lock, Haste::none, now);
}

void Clients::take(ClientId client, const ForceOpenNow& m, Time now) {
  force_open(client, m.lock, Haste::now, now);
}

void Clients::force_open(ClientId client, const std::string& lock, Haste haste, Time now) {
  try {
    check_lock_name(lock);
  } catch (const Error& error) {
    return reply(client, Failed{error.what()});
  }
  node_.status_survey().force_open(client, lock, haste, now);
}

void Clients::take(ClientId client, const Describe& m, Time) {
  commands_[client] = printable(m.command);
}

void Clients::take(ClientId client, const AskClaims& m, Time now) {
  node_.claim_survey().ask(client, m, now);
}

void Clients::describe(const std::string& lock, Time now, std::vector<ProcessPart>& found) const {
  for (const auto& [client, claims] : clients_) {
    wire::ClientProcess process = node_.world().process_of(client);
    ProcessPart part{process.id, process.user};
    for (const auto& [number, claim] : claims) add_claim(*claim, lock, now, part.claims);
    if (part.claims.empty()) continue;
    if (auto command = commands_.find(client); command != commands_.end())
      part.command = command->second;
    found.push_back(std::move(part));
  }
}

}  // namespace conch::node
