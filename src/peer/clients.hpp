// The processes of this machine that use the peer through its Unix socket: `conch lock`, `status`.
//
// A client's claims wait in the same lines as those of threads. When its connection ends, what it
// has is given up; so whoever keeps a copy of its socket keeps its locks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "net/courier.hpp"
#include "peer/claim.hpp"
#include "peer/talk.hpp"

namespace conch::peer {

class Engine;
enum class Haste : std::uint8_t;

/// Under the engine's guard, like everything of it.
class Clients {
 public:
  explicit Clients(Engine& engine);
  ~Clients();

  void came(net::ClientId client);
  void said(net::ClientId client, std::string_view payload, Time now);
  void left(net::ClientId client);

  /// When somebody's patience ends.
  Time wakes() const;
  void look_after(Time now);
  /// The register may remember a longer lock delay by now.
  void lock_delay_recorded(Time now);
  std::size_t size() const { return clients_.size(); }
  /// Adds those who hold this lock or wait for it, or any if it is empty.
  void describe(const std::string& lock, Time now, std::vector<ProcessPart>& found) const;

 private:
  class ClientClaim;
  using ClaimsByNumber = std::map<std::uint64_t, std::unique_ptr<ClientClaim>>;

  void take(net::ClientId client, const Acquire& m, Time now);
  void take(net::ClientId client, const GiveUp& m, Time now);
  void take(net::ClientId client, const AskStatus& m, Time now);
  void take(net::ClientId client, const Evict& m, Time now);
  void take(net::ClientId client, const ForceOpen& m, Time now);
  void take(net::ClientId client, const Describe& m, Time now);
  void take(net::ClientId client, const AskClaims& m, Time now);
  void take(net::ClientId client, const LockDelay& m, Time now);
  void take(net::ClientId client, const EvictNow& m, Time now);
  void take(net::ClientId client, const ForceOpenNow& m, Time now);
  void force_open(net::ClientId client, const std::string& lock, Haste haste, Time now);
  void reply(net::ClientId client, const ClientReply& reply);
  void let_in(const ClientClaim& claim);
  void give_up(ClientClaim& claim);
  void forget_deadline(ClientClaim& claim);
  std::string objection(net::ClientId client, const Acquire& m) const;

  /// What one client may have at a time.
  static constexpr std::size_t claims_max = 4096;

  Engine& engine_;
  std::map<net::ClientId, ClaimsByNumber> clients_;
  /// The commands of clients that have described themselves.
  std::map<net::ClientId, std::string> commands_;
  std::set<std::pair<Time, ClientClaim*>> deadlines_;
  /// The lock delays of clients that have asked for one.
  std::map<net::ClientId, Duration> lock_delays_;
  /// Those that have no place yet: the register does not remember their lock delay.
  std::vector<ClientClaim*> unrecorded_;
};

}  // namespace conch::peer
