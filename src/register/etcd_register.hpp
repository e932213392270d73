// The register on an etcd cluster, for groups of more than one machine. Every change is one etcd
// transaction that states what must still be true. docs/register.md describes the keys, and why
// nothing happens twice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "register/etcd_client.hpp"
#include "register/etcd_ledger.hpp"
#include "register/etcd_names.hpp"
#include "register/etcd_watch.hpp"
#include "register/neighbours.hpp"
#include "register/register.hpp"
#include "register/view_file.hpp"

namespace conch {

struct EtcdRegisterOptions {
  /// Members of the cluster, as `http://host:port` or `https://host:port`. Not all need be named.
  std::vector<std::string> endpoints;
  /// All keys begin with /conch/GROUP/.
  std::string group;
  /// PEM files, for https. Without an authority, the system's are trusted.
  net::Tls tls = {};
  /// Credentials, if the cluster has authentication enabled.
  std::string user = {};
  std::string password = {};
  /// Lease duration; applies only when the register is created.
  Duration lease = std::chrono::seconds(5);
  /// Folder on this machine in which neighbouring peers detect one another's death. If empty,
  /// leases end by time.
  std::string neighbours = {};
  /// How long one member may take to answer. Default: an eighth of a lease, at least 100 ms.
  std::optional<Duration> patience = {};
};

class EtcdRegister : public Register {
 public:
  /// Throws RegisterError, and std::invalid_argument for malformed options.
  explicit EtcdRegister(const EtcdRegisterOptions& options);

  /// Does nothing without a folder for neighbours: leases end by time.
  void attach(const PeerInstance& life) override;
  /// Empty without a folder for neighbours.
  net::Descriptor proof(const PeerInstance& life) const override {
    return neighbours_ ? neighbours_->proof(life) : net::Descriptor();
  }
  recovery::RegisterSnapshot read() override;
  using Register::propose;
  ProposalResult propose(const recovery::View& next, const PeerInstance& by) override;
  bool renew(const PeerInstance& life) override;
  ProposalResult renew_and_read(const PeerInstance& life) override;
  void delay(const PeerInstance& life, Duration lock_delay) override;
  void end(const PeerInstance& life) override;
  Duration lease() const override { return terms_.lease; }
  int descriptor() const override { return descriptor_.number(); }

 private:
  file::ChainFile agree(const EtcdRegisterOptions& options);
  void watch_from(std::int64_t revision);
  etcd::TransactionResult ask(const etcd::Transaction& transaction);
  void expect_acceptance();
  void leave_mark(const std::vector<etcd::Item>& mark);
  /// Conditions that hold while the newest view is the one we know.
  std::vector<etcd::Condition> nothing_new() const;
  etcd::TransactionResult look();
  struct Prolonged {
    bool yes;
    /// The revision of the store from which all answers are.
    std::int64_t revision;
  };
  Prolonged prolong(const PeerInstance& life);
  std::optional<bool> try_to_append(const recovery::View& next, const PeerInstance* newcomer);
  etcd::TransactionResult carry_out(const etcd::Transaction& append);
  bool was_accepted(const recovery::View& next);
  std::int64_t burial_lease();
  bool has_ended(const PeerInstance& life);
  recovery::RegisterSnapshot stand(std::int64_t revision);
  bool finish(const PeerInstance& life, const etcd::EtcdLease& lease);
  Duration wanted_delay(const PeerInstance& life) const;

  recovery::View view_in(const etcd::Item& item) const;
  void take_view(const std::vector<etcd::Item>& found);
  void take_changes(const std::vector<etcd::Item>& views, const std::vector<etcd::Item>& mark);
  etcd::Get mark() const { return {{names_.restored()}}; }
  void take_leases(const std::vector<etcd::Item>& found, std::int64_t revision);
  void take_lease(const PeerInstance& life, const etcd::TransactionResult& outcome);
  void expect_no_fork() const;

  EtcdRegisterOptions options_;
  int process_;
  etcd::KeyNames names_;
  etcd::Client client_;
  std::string cluster_;
  file::ChainFile terms_;
  etcd::LeaseLedger ledger_;
  std::optional<file::Neighbours> neighbours_;
  /// epoll set of the ledger and the neighbours.
  net::Descriptor descriptor_;
  /// The newest view we know, and the revision at which it was accepted.
  recovery::View newest_;
  std::int64_t newest_revision_ = 0;
  /// An older state was restored, and no operator has accepted that yet.
  bool went_back_ = false;
  /// The etcd lease with which the marks of dead lives expire, and when it was granted.
  std::optional<std::pair<std::int64_t, Duration>> burial_lease_;
  /// The lock delay that the life of this process wants. One is enough, as every peer asks etcd
  /// itself.
  std::pair<PeerInstance, Duration> wanted_delay_;
  std::optional<etcd::Watch> watch_;
};

}  // namespace conch
