// The workers of a chaos run: which peer has which seat, in which life, and how workers are
// started, hit and counted. Seats 0, 1 and 2 are at site 0, and so on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chaos/etcd_members.hpp"
#include "chaos/ledger_link.hpp"
#include "rig/rig.hpp"

namespace conch::chaos {

struct Group {
  std::string algorithm = "naimi-trehel";
  std::chrono::milliseconds lease{1000};
  /// The register is an etcd cluster, or else the files of site 0.
  bool has_etcd = false;
  std::size_t sites = 3;
  std::size_t seats_per_site = 3;
  /// The rule of recovery that a specimen does without; empty if the peers have all rules.
  std::string plant = {};

  std::size_t seats() const { return sites * seats_per_site; }
  std::size_t site_of(std::size_t seat) const { return seat / seats_per_site; }
  bool has_register() const { return algorithm != "end-to-end"; }
};

class PeerProcesses {
 public:
  /// `folder` has all files of the run.
  PeerProcesses(const Group& group, std::uint64_t seed, std::string folder);

  const Group& group() const { return group_; }
  rig::Wire& wire() { return rig_.wire(); }
  /// Empty if the register is not etcd.
  std::optional<EtcdMembers>& etcd() { return etcd_; }
  std::string history() const { return folder_ + "/history"; }
  /// Says a sentence to the ledger.
  std::string say(const std::string& sentence) { return ledger_->say(sentence); }

  /// Starts the next life of a seat.
  void start(std::size_t seat);
  /// Runs commands under a lock at this site, one after the other, as clients of its peers.
  void start_commands(std::size_t site);
  /// Begins no more commands. Returns whether the last ones end within this time.
  bool end_commands(Milliseconds within);
  /// How many commands have begun, and the fences of those that were not alone.
  std::size_t commands() const { return lines_in("commands").size(); }
  std::vector<std::string> overlaps() const { return lines_in("overlaps"); }
  /// Kills all processes at a site.
  void kill_all(std::size_t site) const;
  void signal(std::size_t seat, int signal) { seats_[seat].process->send(signal); }
  bool has_ended(std::size_t seat) {
    return seats_[seat].process->await_exit(Milliseconds(0)) != still_running;
  }
  /// The seats that hold locks, as far as the ledger knows.
  std::vector<std::size_t> holders();
  std::vector<std::size_t> all_seats() const;
  std::vector<std::size_t> seats_at(std::size_t site) const;
  std::vector<std::size_t> seats_elsewhere(std::size_t site) const;

  /// Boots a site again: its clocks then say that it booted `ago`. Returns false, and changes
  /// nothing, if this machine has no time namespaces.
  bool boot_again(std::size_t site, std::chrono::seconds ago);
  void set_clock(std::size_t site, std::chrono::nanoseconds offset);

  /// A sentence for each worker that has ended without being asked to.
  std::vector<std::string> unasked_ends();
  /// How many descriptors each worker has open, by the name of its life.
  std::map<std::string, std::size_t> descriptors() const;
  /// The processes of all sites. After the end there must be none.
  std::vector<pid_t> processes() const;
  std::string name_of(std::size_t seat) const;

 private:
  struct ProcessSlot {
    unsigned life = 0;
    Process* process = nullptr;
  };
  std::string address_of(std::size_t seat) const;
  std::string clock_of(std::size_t site) const;
  std::vector<std::string> words_for(std::size_t seat) const;
  void add_contacts(std::size_t seat, std::vector<std::string>& words) const;
  std::vector<std::string> lines_in(const std::string& file) const;

  Group group_;
  std::uint64_t seed_;
  std::string folder_;
  rig::Rig rig_;
  std::optional<EtcdMembers> etcd_;
  std::unique_ptr<Process> ledger_process_;
  std::unique_ptr<LedgerLink> ledger_;
  std::vector<ProcessSlot> seats_;
  /// The shell that starts the commands of each site.
  std::map<std::size_t, Process*> command_loops_;
};

}  // namespace conch::chaos
