#include "chaos/peer_processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "chaos/skewed_clock.hpp"

namespace conch::chaos {

namespace {

constexpr int first_port = 7947;

std::unique_ptr<Process> start_ledger(const std::string& folder) {
  auto ledger = std::make_unique<Process>(
      std::vector<std::string>{CHAOS_LEDGER, folder + "/ledger", folder + "/history"},
      [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  if (!ledger->await_output("ready")) throw std::runtime_error("no ledger: " + ledger->output());
  return ledger;
}

}  // namespace

PeerProcesses::PeerProcesses(const Group& group, std::uint64_t seed, std::string folder)
    : group_(group),
      seed_(seed),
      folder_(std::move(folder)),
      rig_(group.sites, seed),
      ledger_process_(start_ledger(folder_)),
      ledger_(std::make_unique<LedgerLink>(folder_ + "/ledger", "rig")),
      seats_(group.seats()) {
  if (group_.has_etcd) etcd_.emplace(rig_, folder_);
}

std::string PeerProcesses::name_of(std::size_t seat) const {
  return fmt::format("{}.{}", seat, seats_[seat].life);
}

std::string PeerProcesses::address_of(std::size_t seat) const {
  return fmt::format("{}:{}", rig_.site(group_.site_of(seat)).address(),
                     first_port + static_cast<int>(seat));
}

std::string PeerProcesses::clock_of(std::size_t site) const {
  return fmt::format("{}/clock.{}", folder_, site);
}

void PeerProcesses::start(std::size_t seat) {
  ++seats_[seat].life;
  seats_[seat].process = &rig_.start(group_.site_of(seat), words_for(seat));
}

/// The kernel releases the file lock when the last process of a command is dead. Commands ignore
/// TERM, and some take longer than a lease. A loop ends with the shell that began it, which is
/// killed with the rig.
void PeerProcesses::start_commands(std::size_t site) {
  const std::string command =
      "trap '' TERM; exec 9>>\"$0.inside\"; flock -n 9 || echo $CONCH_FENCE >>\"$1/overlaps\"; "
      "echo $CONCH_FENCE >>\"$1/commands\"; "
      "case $CONCH_FENCE in *[159]) sleep 1.5;; *) sleep 0.3;; esac";
  const std::string loop =
      "for lock in red green blue; do (while kill -0 $$ && test ! -e \"$1/enough\"; do "
      "\"$0\" lock $lock --group chaos --timeout 2s -- sh -c \"$2\" \"$1/$lock\" \"$1\" || sleep "
      "0.1; "
      "done) & done >/dev/null 2>&1; wait";
  command_loops_[site] = &rig_.start(
      site, {"env", "ASAN_OPTIONS=verify_asan_link_order=0", "LD_PRELOAD=" CHAOS_BOOTED_CLOCK, "sh",
             "-c", loop, CONCH_COMMAND, folder_, command});
}

bool PeerProcesses::end_commands(Milliseconds within) {
  std::ofstream(folder_ + "/enough");
  Stopwatch watch;
  bool all = true;
  for (auto& [site, loop] : command_loops_)
    all = loop->await_exit(watch.left(within)) != still_running && all;
  return all;
}

std::vector<std::string> PeerProcesses::lines_in(const std::string& file) const {
  std::ifstream text(folder_ + "/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

void PeerProcesses::kill_all(std::size_t site) const {
  for (pid_t process : rig_.site(site).processes()) ::kill(process, SIGKILL);
}

std::vector<std::string> PeerProcesses::words_for(std::size_t seat) const {
  std::uint64_t seed = seed_ * 1'000'000 + seat * 1000 + seats_[seat].life * 10;
  std::vector<std::string> words{CHAOS_WORKER};
  for (const std::string& word :
       {name_of(seat), folder_ + "/ledger", folder_, std::to_string(seed)})
    words.push_back(word);
  words.push_back("listen=" + address_of(seat));
  words.push_back("clock=" + clock_of(group_.site_of(seat)));
  if (group_.has_register()) words.insert(words.end(), {"data", "clients"});
  words.push_back("algorithm=" + group_.algorithm);
  words.push_back(fmt::format("lease={}", group_.lease.count()));
  if (!group_.plant.empty()) words.push_back("plant=" + group_.plant);
  add_contacts(seat, words);
  return words;
}

/// A register of files is at site 0, and other sites reach it through any peer there; every peer
/// asks etcd itself. The first life of seat 0 founds a group without a register, and all others
/// join through any peer.
void PeerProcesses::add_contacts(std::size_t seat, std::vector<std::string>& words) const {
  if (etcd_) {
    for (std::size_t site = 0; site < group_.sites; ++site)
      words.push_back("etcd=" + etcd_->url_of(site));
    return;
  }
  bool founds = seat == 0 && seats_[seat].life == 1;
  for (std::size_t other = 0; other < seats_.size(); ++other) {
    bool helps = group_.has_register() ? group_.site_of(seat) != 0 && group_.site_of(other) == 0
                                       : !founds && other != seat && seats_[other].life > 0;
    if (helps) words.push_back("join=" + address_of(other));
  }
}

std::vector<std::size_t> PeerProcesses::holders() {
  std::istringstream words(ledger_->say("holders"));
  std::string word;
  std::vector<std::size_t> all;
  for (words >> word; words >> word;) all.push_back(std::stoul(word));
  return all;
}

std::vector<std::size_t> PeerProcesses::all_seats() const {
  std::vector<std::size_t> all(seats_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::size_t> PeerProcesses::seats_at(std::size_t site) const {
  std::vector<std::size_t> all;
  for (std::size_t seat = 0; seat < seats_.size(); ++seat)
    if (group_.site_of(seat) == site) all.push_back(seat);
  return all;
}

std::vector<std::size_t> PeerProcesses::seats_elsewhere(std::size_t site) const {
  std::vector<std::size_t> all;
  for (std::size_t seat = 0; seat < seats_.size(); ++seat)
    if (group_.site_of(seat) != site) all.push_back(seat);
  return all;
}

bool PeerProcesses::boot_again(std::size_t site, std::chrono::seconds ago) {
  try {
    rig_.site(site).boot_again(ago);
  } catch (const rig::NoSites&) {
    return false;
  }
  return true;
}

void PeerProcesses::set_clock(std::size_t site, std::chrono::nanoseconds offset) {
  *ClockOffset(clock_of(site)) = offset.count();
}

std::vector<std::string> PeerProcesses::unasked_ends() {
  std::vector<std::string> all;
  for (std::size_t seat = 0; seat < seats_.size(); ++seat) {
    Process& process = *seats_[seat].process;
    if (int status = process.await_exit(Milliseconds(0)); status != still_running)
      all.push_back(fmt::format("worker {} ended unexpectedly, with status {}: {}", name_of(seat),
                                status, process.output()));
  }
  if (etcd_)
    for (const std::string& end : etcd_->unasked_ends()) all.push_back(end);
  return all;
}

std::map<std::string, std::size_t> PeerProcesses::descriptors() const {
  std::map<std::string, std::size_t> all;
  for (std::size_t seat = 0; seat < seats_.size(); ++seat) {
    std::error_code gone;
    std::filesystem::directory_iterator files(
        fmt::format("/proc/{}/fd", seats_[seat].process->id()), gone);
    if (!gone)
      all[name_of(seat)] = static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
  return all;
}

std::vector<pid_t> PeerProcesses::processes() const {
  std::vector<pid_t> all;
  for (std::size_t site = 0; site < rig_.size(); ++site)
    for (pid_t process : rig_.site(site).processes()) all.push_back(process);
  return all;
}

}  // namespace conch::chaos
