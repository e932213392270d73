#include "peer/real_world.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <iterator>

#include "peer/data_desk.hpp"
#include "register/epoch_floor.hpp"

namespace conch::peer {

using namespace recovery;

RealWorld::RealWorld(Process& process, DataDesk& data, std::uint64_t seed)
    : process_(process), data_(data), random_(seed) {}

void RealWorld::open(std::unique_ptr<Register> reg, RegisterListener& listener, bool proves) {
  register_ = std::make_unique<RegisterDesk>(std::move(reg), listener, proves);
}

void RealWorld::close() {
  register_.reset();
  presence_.reset();
  sockets_.reset();
}

// Lives.

/// No other process draws the same: no two of one id start within a nanosecond.
Incarnation RealWorld::draw_incarnation(Incarnation before) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto count = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
  return Incarnation{std::max(count, static_cast<std::uint64_t>(before) + 1)};
}

void RealWorld::begin_life(const Life& life) {
  life_ = life;
  lease_page_.reset();
  lease_until_.reset();
  if (register_) register_->attach(life);
}

Fence RealWorld::fence_floor() const { return conch::fence_floor(); }

Duration RealWorld::draw(Duration least, Duration most) {
  auto span = static_cast<std::uint64_t>((most - least).count());
  if (span == 0) return least;
  return least + Duration(static_cast<Duration::rep>(random_.below(span)));
}

// What keepers of commands get.

file::Descriptor RealWorld::proof(const Life& life) {
  return register_ ? register_->proof(life) : file::Descriptor();
}

file::Descriptor RealWorld::lease_page() {
  if (!lease_until_) return {};
  if (!lease_page_) {
    lease_page_ = std::make_unique<file::LeasePage>(lease_length_);
    show_lease(*lease_until_, lease_length_);
  }
  return file::Descriptor(::fcntl(lease_page_->descriptor(), F_DUPFD_CLOEXEC, 0));
}

std::vector<net::Descriptor> RealWorld::pledges() {
  std::vector<net::Descriptor> all;
  auto add = [&](int descriptor) {
    net::Descriptor copy(descriptor < 0 ? -1 : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (copy) all.push_back(std::move(copy));
  };
  add(lease_page().number());
  if (!all.empty() && register_) add(register_->known_proof(life_));
  return all;
}

bool RealWorld::let_in(node::ClientId client, std::string_view) {
  std::vector<net::Descriptor> all = pledges();
  bool has_some = !all.empty();
  if (has_some) sockets_->enclose(client, std::move(all));
  return has_some;
}

/// The lease counts on the steady clock, which stands still while the machine sleeps; the others'
/// does not. Of the two clocks the one is read first that makes the lease seem shorter if this
/// process is stopped in between.
void RealWorld::show_lease(Time until, Duration length) {
  lease_until_ = until;
  lease_length_ = length;
  if (!lease_page_) return;
  file::BootTime now = file::BootClock::now();
  lease_page_->prolong(now + (until - net::steady_now()));
}

void RealWorld::end_lease() {
  if (lease_page_) lease_page_->finish();
}

// Data.

void RealWorld::enclose(const Life& to, const std::string& lock, const DataRef& data) {
  data_.enclose(to, lock, data);
}
void RealWorld::take_enclosure(node::Enclosure enclosure) {
  data_.take_enclosure(std::move(enclosure));
}
void RealWorld::outdated(const std::string& lock, std::uint64_t version) {
  data_.outdated(lock, version);
}
std::vector<node::Copy> RealWorld::new_copies() { return data_.new_copies(); }
void RealWorld::forget_data() { data_.forget(); }
void RealWorld::roster_changed() { data_.follow_view(); }

// This process.

wire::ClientProcess RealWorld::process() const {
  return {static_cast<std::uint64_t>(::getpid()), ::geteuid()};
}

/// Its words, as proc(5) has them, if nothing else was said.
std::string RealWorld::command() const {
  if (!command_.empty()) return command_;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

std::string RealWorld::host() const {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace conch::peer
