// A group without a register: how a peer finds somebody of it, or founds it.
//
// With --join anybody of the group will do. Without it, the sockets beside the group's state are
// those of its peers on this machine: whoever answers is joined, and if nobody is there the peer
// founds the group. A file `ring` beside them has what the group agreed on last, so that one who
// does not say which algorithm it wants looks there first, and founds the group anew with it.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "net/ways.hpp"
#include "peer/engine.hpp"
#include "peer/overlay_steward.hpp"
#include "register/epoch_floor.hpp"

namespace conch::peer {

using namespace recovery;

namespace {

/// More than one, in case that one is about to leave.
constexpr std::size_t contacts_max = 3;
/// Of those who were neighbours.
constexpr std::size_t remembered_max = 8;
/// A living peer has long answered by then.
constexpr Duration answer_patience = std::chrono::seconds(2);

std::string note_in(const std::string& folder) { return folder + "/ring"; }

std::optional<Agreement> noted_in(const std::string& folder) {
  std::ifstream file(note_in(folder));
  std::string line;
  std::getline(file, line);
  return parse_agreement(line);
}

/// Whoever has it open is the only one that looks for others, and may find that there are none.
file::Descriptor begin_founding(const std::string& folder, Duration patience,
                                const StopToken& give_up) {
  std::string path = folder + "/founding";
  file::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) throw Error(ErrorCode::misconfigured, fmt::format("cannot write {}", path));
  auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (give_up.stop_requested()) throw Error("gave up while another peer of this machine starts");
    if (std::chrono::steady_clock::now() > until)
      throw Error("another peer of this machine is starting, and does not get on: is it stopped?");
    // There is no flock with a deadline.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return file;
}

std::string address_of(const std::string& folder, const Socket& socket) {
  return wire::print(wire::Way(wire::UnixWay{net::Here().boot(), socket_path(folder, socket)}));
}

}  // namespace

/// Whether the group is, or will be, one without a register.
bool Engine::find_ring() {
  if (!seek_ring()) return false;
  note_ring();
  return true;
}

void Engine::note_ring() const {
  std::ofstream(note_in(directories_.sockets)) << text_of(*ring_) << '\n';
}

bool Engine::seek_ring() {
  bool wanted = find_routed(options_.algorithm) != nullptr;
  bool open = wanted || options_.algorithm.empty();
  if (!options_.join.empty()) return open && find_ring_there();
  bool noted = std::filesystem::exists(note_in(directories_.sockets));
  if (!wanted && !noted) return false;
  founding_ = begin_founding(directories_.sockets, options_.admission_patience, options_.give_up);
  if (find_ring_here()) return true;
  std::optional<Agreement> last = noted_in(directories_.sockets);
  bool again = last && options_.algorithm.empty() && !options_.etcd.enabled();
  if (!wanted && !again) {
    std::filesystem::remove(note_in(directories_.sockets));
    return false;
  }
  expect_own_register();
  ring_ = wanted ? founding(insistence(), options_.lease.value_or(default_lease))
                 : founding_again(*last, insistence(), options_.lease);
  return true;
}

bool Engine::find_ring_there() {
  std::string failure;
  for (const std::string& address : options_.join) {
    try {
      net::Acquaintance there = net::ask_who(address, group_, tls_of(options_.tls),
                                             options_.admission_patience, {}, options_.give_up);
      if (is_register_group(there)) return false;
      meet_ring(there, address);
    } catch (const Error& error) {
      failure = error.what();
      if (options_.give_up.stop_requested()) break;
      if (options_.join.size() > 1) log(failure);
    }
  }
  if (!ring_) throw Error(failure);
  return true;
}

bool Engine::find_ring_here() {
  remove_abandoned_sockets(directories_.sockets);
  std::string failure;
  for (const Socket& socket : sockets_in(directories_.sockets)) {
    if (ring_contacts_.size() == contacts_max) break;
    try {
      std::string address = address_of(directories_.sockets, socket);
      net::Acquaintance there =
          net::ask_who(address, group_, {}, answer_patience, {}, options_.give_up);
      if (is_register_group(there)) {
        std::filesystem::remove(note_in(directories_.sockets));
        return false;
      }
      meet_ring(there, "this machine");
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (!ring_ && !failure.empty()) throw Error(failure);
  return is_ring();
}

/// And this peer wants nothing else.
bool Engine::is_register_group(const net::Acquaintance& there) const {
  return !parse_agreement(there.algorithm) && !find_routed(options_.algorithm);
}

/// One of the group; who runs something else is refused.
void Engine::meet_ring(const net::Acquaintance& there, const std::string& place) {
  std::optional<Agreement> agreement = parse_agreement(there.algorithm);
  if (!agreement)
    throw Error(ErrorCode::misconfigured,
                fmt::format("the group '{}' at {} runs {}, which needs a register, not {}", group_,
                            place, there.algorithm, options_.algorithm));
  expect_agreement(insistence(), *agreement, place);
  if (!ring_) ring_ = agreement;
  if (*ring_ == *agreement) ring_contacts_.push_back({there.life, there.address});
}

void Engine::check_ring_options() const {
  bool asked = !options_.dht.empty() || options_.replicas;
  if (!is_ring() && asked)
    throw Error(
        ErrorCode::misconfigured,
        fmt::format("{} has neither an overlay nor replicas: leave out --dht and --replicas, or "
                    "take --algorithm end-to-end, sigma or non-end-to-end",
                    algorithm_->about.name));
  if (is_ring() && options_.etcd.enabled())
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} needs no register: leave out --register", algorithm_->about.name));
  if (is_ring() && lock_delay_ > Duration::zero())
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} has no register that could remember a lock delay: leave it out",
                            algorithm_->about.name));
  if (is_ring() && options_.persist)
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} carries no data that could be kept: leave out --persist",
                            algorithm_->about.name));
}

void Engine::be_born_in_ring() {
  terms_.length = ring_->lease;
  if (steward_) remember_neighbours();
  Member self{life_.id, life_.incarnation, courier_->address(), false, cluster_, false};
  steward_ = make_overlay_steward({self, *ring_, ring_contacts_, dice_(), {fence_floor(), born_}});
  steward_->start(born_, effects_);
  next_housekeeping_ = born_;
  for (auto& [name, desk] : desks_) touch(*desk);
}

/// Through whom it would come in again.
void Engine::remember_neighbours() {
  for (const Member& member : steward_->view().roster) {
    if (member.id == life_.id) continue;
    std::erase_if(ring_contacts_,
                  [&](const Introduction& each) { return each.life.id == member.id; });
    ring_contacts_.insert(ring_contacts_.begin(), {member.life(), member.address});
  }
  if (ring_contacts_.size() > remembered_max) ring_contacts_.resize(remembered_max);
}

std::string Engine::why_no_data() const {
  if (!is_ring()) return "";
  return fmt::format(
      "no data travel with the locks of {}: there is no view to say who has the newest; start the "
      "group with an algorithm that has a register, as naimi-trehel",
      algorithm_->about.name);
}

}  // namespace conch::peer
