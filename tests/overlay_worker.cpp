// A peer of a group without a register: overlay_worker FOLDER SEAT [idle] [algorithm=NAME]
// [dht=NAME] [replicas=N] [lease=MS] [join=HOST:PORT]. As far as others can see it is on a machine
// of its own. Unless idle, it writes into the ledger again and again until the test is done.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ledger.hpp"
#include "shared_page.hpp"

namespace {

using namespace conch;
using conch::testing::Ledger;
using std::chrono::milliseconds;

struct Plan {
  std::string folder;
  std::size_t seat = 0;
  bool idle = false;
  PeerOptions options;
};

Plan plan_of(int argc, char** argv) {
  Plan plan{argv[1], std::stoul(argv[2]), false, {}};
  std::string machine = plan.folder + "/" + argv[2];
  std::filesystem::create_directory(machine);
  plan.options.group = "test";
  plan.options.state_directory = machine + "/state";
  plan.options.listen = {"127.0.0.1:0"};
  for (int i = 3; i < argc; ++i) {
    std::string word = argv[i];
    std::string value = word.substr(word.find('=') + 1);
    if (word == "idle") plan.idle = true;
    if (word.starts_with("algorithm=")) plan.options.algorithm = value;
    if (word.starts_with("dht=")) plan.options.dht = value;
    if (word.starts_with("replicas=")) plan.options.replicas = std::stoul(value);
    if (word.starts_with("lease=")) plan.options.lease = milliseconds(std::stoul(value));
    if (word.starts_with("join=")) plan.options.join = {value};
  }
  return plan;
}

void visit(Ledger& ledger, std::size_t seat, const Mutex& mutex) {
  bool opened = ledger.open(mutex.fence());
  if (!opened && mutex.holds()) ++ledger.old_fences;
  if (ledger.victim == seat + 1) {
    if (!opened || !mutex.holds()) return;  // the victim is caught while it holds the lock
    ledger.caught = true;
    ::pause();
  }
  std::this_thread::sleep_for(milliseconds(1));  // stands for work
  bool written = ledger.write(mutex.fence());
  // Ask holds() after the write: a holder that was overtaken has seen its lease end before.
  if (opened && !written && mutex.holds()) ++ledger.overtaken;
  ++(mutex.holds() ? ledger.seats[seat].entries : ledger.seats[seat].losses);
}

void run(const Plan& plan) {
  conch::testing::SharedPage<Ledger> ledger(plan.folder + "/ledger");
  Ledger::ProcessSlot& seat = ledger->seats[plan.seat];
  Peer peer(plan.options);
  std::string address = peer.listens().front();
  seat.process = ::getpid();
  seat.id = peer.id();
  seat.port = static_cast<std::uint32_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  while (!ledger->done && (plan.idle || ledger->lock == 0))
    std::this_thread::sleep_for(milliseconds(1));
  Mutex mutex(peer, "ledger-" + std::to_string(ledger->lock));
  std::optional<std::chrono::steady_clock::time_point> last;
  while (!ledger->done) {
    std::scoped_lock guard(mutex);
    if (ledger->done) break;  // the others leave
    auto now = std::chrono::steady_clock::now();
    auto since = std::chrono::duration_cast<milliseconds>(now - last.value_or(now)).count();
    seat.longest_ms = std::max(seat.longest_ms.load(), static_cast<std::uint64_t>(since));
    last = now;
    visit(*ledger, plan.seat, mutex);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    run(plan_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
  return 0;
}
