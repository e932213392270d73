#include "register/leases.hpp"

#include <algorithm>
#include <stdexcept>

#include "recovery/lease.hpp"
#include "register/clock.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

constexpr const char* ended_name = "/ended";
constexpr const char* process_name = "/process";
constexpr int attempts_max = 100;
constexpr Duration look_again_min = std::chrono::milliseconds(2);
constexpr Duration look_again_max = std::chrono::milliseconds(20);

std::string lease_until(Duration end) {
  return "/lease." + std::to_string(end.count()) + "." + boot();
}

/// When a lease ends, and whether it was given in this boot.
struct LeaseEnd {
  Duration end{};
  bool of_this_boot = false;
};

/// Parses the name of a lease file. A lease from before this boot ends at the latest one lease
/// duration after boot: its peer may be on a machine that has not rebooted.
std::optional<LeaseEnd> end_in(std::string_view file, Duration lease) {
  auto rest = after("lease.", file);
  if (!rest) return std::nullopt;
  std::size_t dot = std::min(rest->find('.'), rest->size());
  auto end = number_in(rest->substr(0, dot));
  if (!end) return std::nullopt;
  bool of_this_boot = rest->substr(std::min(dot + 1, rest->size())) == boot();
  return LeaseEnd{of_this_boot ? Duration(static_cast<std::int64_t>(*end)) : lease, of_this_boot};
}

constexpr std::string_view delay_prefix = "delay.";

/// Zero for any other file, and for a length that is out of range.
Duration delay_in(std::string_view file) {
  auto rest = after(delay_prefix, file);
  auto count = rest ? number_in(*rest) : std::nullopt;
  bool is_sane = count && *count <= static_cast<std::uint64_t>(recovery::lock_delay_max.count());
  return is_sane ? Duration(static_cast<std::int64_t>(*count)) : Duration::zero();
}

}  // namespace

Leases::Leases(const Directory& root, StagingDir& work, Duration lease, CrashPoints steps)
    : root_(root), work_(work), lease_(lease), steps_(std::move(steps)) {}

/// The kernel lists so small a folder in one step, so that a rename shows either the old name or
/// the new one. If neither is there, it looks again.
Leases::PeerLease Leases::look(const PeerInstance& life) const {
  std::string folder = name_of_life(life);
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    auto files = root_.list(folder);
    if (!files) break;
    PeerLease lease;
    for (const std::string& file : *files) {
      if ("/" + file == ended_name) return {PeerLease::State::ended, {}, {}, {}, {}};
      lease.lock_delay = std::max(lease.lock_delay, delay_in(file));
      if (auto end = end_in(file, lease_)) {
        lease.state = PeerLease::State::running;
        lease.name = inside(folder, file);
        lease.end = end->end;
        lease.of_this_boot = end->of_this_boot;
      }
    }
    if (lease.state == PeerLease::State::running) return lease;
  }
  return {};
}

/// No process outlives a boot. Where one seems to, it sees another boot id than we do, as in some
/// containers, and neither can tell when the other's lease ends.
Pulse Leases::pulse(const PeerInstance& life, const PeerLease& lease, bool seen_dead) const {
  bool over = lease.over() <= since_boot();
  if (over && lease.of_this_boot) return Pulse::gone;
  Pulse pulse = pulse_of(root_, name_of_life(life) + process_name, seen_dead);
  if (lease.of_this_boot || pulse != Pulse::alive) return over ? Pulse::gone : pulse;
  throw RegisterError(
      "peer " + std::to_string(life.id.value) + " runs, but its lease in " + root_.path() +
      " is of another boot than /proc/sys/kernel/random/boot_id says here: one of the two runs in "
      "a container that has its own. Bind the machine's over it, or use etcd as the register");
}

/// No event tells us that a keeper has gone. Most go at once, so the interval between polls grows.
Duration Leases::next_look(const PeerInstance& life) {
  Duration now = since_boot();
  Duration so_far = now - kept_.try_emplace(life, now).first->second;
  return now + std::clamp(so_far, look_again_min, look_again_max);
}

/// False if the lease was renewed or ended in between.
bool Leases::finish(const PeerInstance& life, const PeerLease& lease) {
  if (!root_.rename(lease.name, name_of_life(life) + ended_name)) return false;
  wake_all(life);
  return true;
}

void Leases::wake_all(const PeerInstance& life) {
  root_.touch(name_of_life(life));
  ++ended_here_;
}

/// Gives a life the folder that was prepared for it. False if it already has one.
bool Leases::appear(const PeerInstance& life, const std::string& made) {
  if (root_.rename(made, name_of_life(life))) return true;
  root_.remove_all(made);
  return false;
}

/// Makes it final that a life without a lease has none. False if it has one.
bool Leases::entomb(const PeerInstance& life) {
  std::string made = work_.fresh_name();
  root_.make_directory(made);
  root_.create(made + ended_name);
  if (!appear(life, made)) {
    if (look(life).state != PeerLease::State::absent) return false;
    // Somebody removed the lease file from a folder that has other files in it. There is nothing
    // left to rename, and no other folder can take its place.
    std::string file = work_.write({}, false);
    root_.link(file, name_of_life(life) + ended_name);
    root_.remove(file);
  }
  wake_all(life);
  return true;
}

void Leases::begin(const PeerInstance& life) {
  if (begun_.contains(life)) return void(prolong(life));
  std::string made = work_.fresh_name();
  Descriptor mark;
  try {
    root_.make_directory(made);
    if (mine_.contains(life)) mark = mark_as_mine(root_, made + process_name);
    root_.create(made + lease_until(since_boot() + lease_));
  } catch (const RegisterError&) {
    root_.remove_all(made);  // On a full disk the caller retries again and again.
    throw;
  }
  if (appear(life, made)) return void(begun_[life] = std::move(mark));
  if (mine_.contains(life)) fail_because_taken(life);
  prolong(life);
}

void Leases::attach(const PeerInstance& life) {
  if (!begun_.contains(life) && root_.exists(name_of_life(life))) fail_because_taken(life);
  mine_.insert(life);
}

void Leases::fail_because_taken(const PeerInstance& life) const {
  throw RegisterError("another process is peer " + std::to_string(life.id.value) +
                      ", incarnation " +
                      std::to_string(static_cast<std::uint64_t>(life.incarnation)) + ", in " +
                      root_.path() + "; draw another incarnation");
}

bool Leases::prolong(const PeerInstance& life) {
  while (true) {
    PeerLease lease = look(life);
    if (lease.state != PeerLease::State::running) return false;
    // No check whether the process lives: it is the caller itself.
    if (lease.end <= since_boot()) {
      if (since_boot() < lease.over()) return false;
      finish(life, lease);
      continue;
    }
    Duration end = since_boot() + lease_;
    if (end <= lease.end) return true;
    steps_(CrashPoint::before_renewal);
    if (root_.rename(lease.name, name_of_life(life) + lease_until(end))) return true;
  }
}

void Leases::delay(const PeerInstance& life, Duration lock_delay) {
  PeerLease lease = look(life);
  if (lease.state != PeerLease::State::running || lock_delay <= lease.lock_delay) return;
  root_.create(name_of_life(life) + "/" + std::string(delay_prefix) +
               std::to_string(lock_delay.count()));
}

void Leases::end(const PeerInstance& life) {
  while (true) {
    PeerLease lease = look(life);
    switch (lease.state) {
      case PeerLease::State::ended: return;
      case PeerLease::State::running:
        if (finish(life, lease)) return;
        break;
      case PeerLease::State::absent:
        if (entomb(life)) return;
        break;
    }
  }
}

Descriptor Leases::proof(const PeerInstance& life) const {
  auto mine = begun_.find(life);
  if (mine == begun_.end() || !mine->second)
    throw std::logic_error("the lease of peer " + std::to_string(life.id.value) +
                           " was not begun by this process");
  return keep(mine->second, root_.path(name_of_life(life) + process_name));
}

Judgement Leases::judge(const PeerInstance& life, bool seen_dead) {
  while (true) {
    PeerLease lease = look(life);
    if (lease.state == PeerLease::State::absent) return miss(life, seen_dead);
    missed_.erase(life);
    if (lease.state == PeerLease::State::ended) return ended(life);
    switch (pulse(life, lease, seen_dead)) {
      case Pulse::unknown:
      case Pulse::alive: return {false, lease.over()};
      case Pulse::kept: return {false, std::min(lease.over(), next_look(life))};
      case Pulse::gone:
        if (finish(life, lease)) return ended(life);
        break;
    }
  }
}

bool Leases::has_process(const PeerInstance& life) const {
  return pulse_of(root_, name_of_life(life) + process_name, false) == Pulse::alive;
}

bool Leases::is_alive(const PeerInstance& life) const {
  PeerLease lease = look(life);
  return lease.state == PeerLease::State::running && pulse(life, lease, false) != Pulse::gone;
}

Judgement Leases::ended(const PeerInstance& life) {
  kept_.erase(life);
  return {true, {}};
}

Judgement Leases::miss(const PeerInstance& life, bool seen_dead) {
  Duration end = missed_.try_emplace(life, since_boot()).first->second + lease_;
  if (since_boot() < end) return {false, end, true};
  missed_.erase(life);
  return entomb(life) ? ended(life) : judge(life, seen_dead);
}

Descriptor Leases::process(const PeerInstance& life) const {
  return watch_process(root_, name_of_life(life) + process_name);
}

void Leases::sweep(const std::function<bool(const PeerInstance&)>& is_mentioned) {
  auto is_forgotten = [&](const auto& entry) { return !is_mentioned(entry.first); };
  std::erase_if(missed_, is_forgotten);
  std::erase_if(kept_, is_forgotten);
  for (const std::string& folder : root_.list().value_or(std::vector<std::string>{})) {
    auto life = life_named(folder);
    if (!life) continue;
    PeerLease lease = look(*life);
    bool over =
        lease.state != PeerLease::State::running || pulse(*life, lease, false) == Pulse::gone;
    if (!over || is_mentioned(*life)) continue;
    steps_(CrashPoint::before_removal);
    work_.discard(folder);
  }
}

}  // namespace conch::file
