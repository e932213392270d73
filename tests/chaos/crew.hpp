// The workers of a chaos run: who sits where, in which life, and how they are started, hit and
// counted. Seats 0, 1 and 2 are at site 0, and so on.
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
  /// The register is an etcd cluster; else it is the files of site 0.
  bool has_etcd = false;
  std::size_t sites = 3;
  std::size_t seats_per_site = 3;
  /// Of a specimen; empty: nothing is wrong with the peers.
  std::string plant = {};

  std::size_t seats() const { return sites * seats_per_site; }
  std::size_t site_of(std::size_t seat) const { return seat / seats_per_site; }
  bool has_register() const { return algorithm != "end-to-end"; }
};

class Crew {
 public:
  /// Whatever they write is in this folder.
  Crew(const Group& group, std::uint64_t seed, std::string folder);

  const Group& group() const { return group_; }
  rig::Wire& wire() { return rig_.wire(); }
  /// Nothing if the register is something else.
  std::optional<EtcdMembers>& etcd() { return etcd_; }
  std::string history() const { return folder_ + "/history"; }
  /// To the ledger.
  std::string say(const std::string& sentence) { return ledger_->say(sentence); }

  /// The next life of a seat.
  void start(std::size_t seat);
  /// At this site, commands run under a lock, one after the other, as clients of its peers.
  void start_commands(std::size_t site);
  /// No more commands begin; whether the last ones end within this time.
  bool end_commands(Milliseconds within);
  /// How many have begun, and the fences of those that were not alone.
  std::size_t commands() const { return lines_in("commands").size(); }
  std::vector<std::string> overlaps() const { return lines_in("overlaps"); }
  /// Kills whatever runs there.
  void kill_all(std::size_t site) const;
  void signal(std::size_t seat, int signal) { seats_[seat].process->send(signal); }
  bool has_ended(std::size_t seat) {
    return seats_[seat].process->await_exit(Milliseconds(0)) != still_running;
  }
  /// Those that hold locks, as far as the ledger knows.
  std::vector<std::size_t> holders();
  std::vector<std::size_t> all_seats() const;
  std::vector<std::size_t> seats_at(std::size_t site) const;
  std::vector<std::size_t> seats_elsewhere(std::size_t site) const;

  /// A site has booted so long ago. False if there are no such clocks here: then nothing has
  /// changed.
  bool boot_again(std::size_t site, std::chrono::seconds ago);
  void set_clock(std::size_t site, std::chrono::nanoseconds offset);

  /// Who has ended without being asked to: a sentence for each.
  std::vector<std::string> unasked_ends();
  /// How many descriptors each has open, by its life's name.
  std::map<std::string, std::size_t> descriptors() const;
  /// Of all sites; none after the end.
  std::vector<pid_t> processes() const;
  std::string name_of(std::size_t seat) const;

 private:
  struct Seat {
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
  std::vector<Seat> seats_;
  /// What starts the commands of each site.
  std::map<std::size_t, Process*> command_loops_;
};

}  // namespace conch::chaos
