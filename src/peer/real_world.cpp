#include "peer/real_world.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <iterator>

#include "peer/buffer.hpp"
#include "peer/data_mover.hpp"
#include "register/epoch_floor.hpp"

namespace conch::peer {

using namespace recovery;

RealWorld::RealWorld(HostProcess& process, DataMover& data, std::uint64_t seed)
    : process_(process), data_(data), random_(seed) {}

void RealWorld::open(std::unique_ptr<Register> reg, RegisterListener& listener, bool proves) {
  register_ = std::make_unique<RegisterClient>(std::move(reg), listener, proves);
}

void RealWorld::close() {
  register_.reset();
  presence_.reset();
  sockets_.reset();
}

// Lives.

/// Unique, as no two processes with the same id start within the same nanosecond.
Incarnation RealWorld::draw_incarnation(Incarnation before) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto count = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
  return Incarnation{std::max(count, static_cast<std::uint64_t>(before) + 1)};
}

void RealWorld::begin_life(const PeerInstance& life) {
  if (life != life_) data_.drop_streams();  // Node::seek and start may begin the same life.
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

// What the keepers of commands get.

net::Descriptor RealWorld::proof(const PeerInstance& life) {
  return register_ ? register_->proof(life) : net::Descriptor();
}

net::Descriptor RealWorld::lease_page() {
  if (!lease_until_) return {};
  if (!lease_page_) {
    lease_page_ = std::make_unique<file::LeasePage>(lease_length_);
    show_lease(*lease_until_, lease_length_);
  }
  return net::Descriptor(::fcntl(lease_page_->descriptor(), F_DUPFD_CLOEXEC, 0));
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

/// Converts from this process's clock, which a time namespace may shift, to the time since boot
/// that keepers read. Reads the boot clock first: if the process is suspended in between, the lease
/// then seems shorter, never longer.
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

std::shared_ptr<node::Block> RealWorld::make_block(std::uint64_t capacity) {
  return std::make_shared<Buffer>(capacity);
}
void RealWorld::begin(node::Transfer transfer) { data_.begin(std::move(transfer)); }
void RealWorld::abort(std::uint64_t number) { data_.abort(number); }
void RealWorld::count_data(std::uint64_t sent, std::uint64_t received) {
  data_.count(sent, received);
}
void RealWorld::save_data(const std::string& lock, node::Block& block) { data_.save(lock, block); }
void RealWorld::forget_saved(const std::string& lock) { data_.forget_saved(lock); }
std::vector<std::string> RealWorld::saved_locks() { return data_.saved_locks(); }
std::shared_ptr<node::Block> RealWorld::load_data(const std::string& lock, std::uint64_t version) {
  return data_.load(lock, version);
}
void RealWorld::roster_changed(const View& view) { data_.follow_view(view); }

// This process.

void RealWorld::keep_house() {
  process_.keep_house();
  data_.begin_again();
}

wire::ClientProcess RealWorld::process() const {
  return {static_cast<std::uint64_t>(::getpid()), ::geteuid()};
}

/// The process's command line (proc(5)), unless `describe` has set another text.
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
