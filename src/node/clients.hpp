// The processes of this machine that use the peer through its Unix socket: `conch lock`, `status`.
//
// A client's claims wait in the same queues as those of threads. When its connection ends, the peer
// gives up everything that it holds; so a process that keeps a copy of its socket keeps its locks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "node/claim.hpp"
#include "node/talk.hpp"
#include "node/world.hpp"

namespace conch::node {

class Node;
enum class Haste : std::uint8_t;

class Clients {
 public:
  explicit Clients(Node& node);
  ~Clients();

  void came(ClientId client);
  void said(ClientId client, std::string_view payload, Time now);
  void left(ClientId client, Time now);

  /// The earliest deadline of a waiting claim.
  Time wakes() const;
  void look_after(Time now);
  /// The register may have recorded a longer lock delay.
  void lock_delay_recorded(Time now);
  std::size_t size() const { return clients_.size(); }
  /// Adds the clients that hold this lock or wait for it; any lock if `lock` is empty.
  void describe(const std::string& lock, Time now, std::vector<ProcessPart>& found) const;

 private:
  class ClientClaim;
  using ClaimsByNumber = std::map<std::uint64_t, std::unique_ptr<ClientClaim>>;

  void take(ClientId client, const Acquire& m, Time now);
  void take(ClientId client, const GiveUp& m, Time now);
  void take(ClientId client, const AskStatus& m, Time now);
  void take(ClientId client, const Evict& m, Time now);
  void take(ClientId client, const ForceOpen& m, Time now);
  void take(ClientId client, const Describe& m, Time now);
  void take(ClientId client, const AskClaims& m, Time now);
  void take(ClientId client, const LockDelay& m, Time now);
  void take(ClientId client, const EvictNow& m, Time now);
  void take(ClientId client, const ForceOpenNow& m, Time now);
  void force_open(ClientId client, const std::string& lock, Haste haste, Time now);
  void reply(ClientId client, const ClientReply& reply);
  void let_in(const ClientClaim& claim);
  void give_up(ClientClaim& claim, Time now);
  void forget_deadline(ClientClaim& claim);
  std::string objection(ClientId client, const Acquire& m) const;

  /// The most claims that one client may have at a time.
  static constexpr std::size_t claims_max = 4096;

  Node& node_;
  std::map<ClientId, ClaimsByNumber> clients_;
  /// The commands that clients have described.
  std::map<ClientId, std::string> commands_;
  std::set<std::pair<Time, ClientClaim*>> deadlines_;
  /// The lock delays that clients have asked for.
  std::map<ClientId, Duration> lock_delays_;
  /// Claims that are not in line yet, because the register has not recorded their lock delay.
  std::vector<ClientClaim*> unrecorded_;
};

}  // namespace conch::node
