// The register that is an etcd cluster, for groups that outgrow one machine. Every change is one
// transaction of etcd's, which says what must still be so; docs/etcd.md says what the keys are, and
// why nothing happens twice.
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
  /// Its keys begin with /conch/GROUP/.
  std::string group;
  /// PEM files, for https. Without an authority the system's are trusted.
  net::Tls tls = {};
  /// If the cluster wants to know who asks.
  std::string user = {};
  std::string password = {};
  /// Of a new register; one that exists has its own.
  Duration lease = std::chrono::seconds(5);
  /// Of this machine: where peers that are neighbours know one another's death from. Empty:
  /// nowhere, and leases end by time.
  std::string neighbours = {};
  /// How long one member may take to answer; without: an eighth of a lease, 100 ms at least.
  std::optional<Duration> patience = {};
};

class EtcdRegister : public Register {
 public:
  /// Throws RegisterError, and std::invalid_argument for options that make no sense.
  explicit EtcdRegister(const EtcdRegisterOptions& options);

  /// Without a folder for neighbours, nothing: leases end by time.
  void attach(const recovery::Life& life) override;
  /// Without a folder for neighbours, none.
  file::Descriptor proof(const recovery::Life& life) const override {
    return neighbours_ ? neighbours_->proof(life) : file::Descriptor();
  }
  recovery::Standing read() override;
  using Register::propose;
  Verdict propose(const recovery::View& next, const recovery::Life& by) override;
  bool renew(const recovery::Life& life) override;
  Verdict renew_and_read(const recovery::Life& life) override;
  void delay(const recovery::Life& life, Duration lock_delay) override;
  void end(const recovery::Life& life) override;
  Duration lease() const override { return terms_.lease; }
  int descriptor() const override { return descriptor_.number(); }

 private:
  file::ChainFile agree(const EtcdRegisterOptions& options);
  void watch_from(std::int64_t revision);
  etcd::Outcome ask(const etcd::Transaction& transaction);
  void expect_acceptance();
  void leave_mark(const std::vector<etcd::Item>& mark);
  /// The newest view is the one we know.
  std::vector<etcd::Condition> nothing_new() const;
  etcd::Outcome look();
  struct Prolonged {
    bool yes;
    /// At which all was taken.
    std::int64_t revision;
  };
  Prolonged prolong(const recovery::Life& life);
  std::optional<bool> try_to_append(const recovery::View& next, const recovery::Life* newcomer);
  etcd::Outcome carry_out(const etcd::Transaction& append);
  bool was_accepted(const recovery::View& next);
  std::int64_t burial_lease();
  bool has_ended(const recovery::Life& life);
  recovery::Standing stand(std::int64_t revision);
  bool finish(const recovery::Life& life, const etcd::Lease& lease);
  Duration wanted_delay(const recovery::Life& life) const;

  recovery::View view_in(const etcd::Item& item) const;
  void take_view(const std::vector<etcd::Item>& found);
  void take_changes(const std::vector<etcd::Item>& views, const std::vector<etcd::Item>& mark);
  etcd::Get mark() const { return {{names_.restored()}}; }
  void take_leases(const std::vector<etcd::Item>& found, std::int64_t revision);
  void take_lease(const recovery::Life& life, const etcd::Outcome& outcome);
  void expect_no_fork() const;

  EtcdRegisterOptions options_;
  int process_;
  etcd::Names names_;
  etcd::Client client_;
  std::string cluster_;
  file::ChainFile terms_;
  etcd::Ledger ledger_;
  std::optional<file::Neighbours> neighbours_;
  /// Of both.
  file::Descriptor descriptor_;
  /// The newest view we know, and when it was decided.
  recovery::View newest_;
  std::int64_t newest_revision_ = 0;
  /// An older state was restored, and nobody has accepted that yet.
  bool went_back_ = false;
  /// With which marks of the dead go, and when it was granted.
  std::optional<std::pair<std::int64_t, Duration>> burial_lease_;
  /// The lock delay of this process only: every peer asks etcd itself.
  std::pair<recovery::Life, Duration> wanted_delay_;
  std::optional<etcd::Watch> watch_;
};

}  // namespace conch
