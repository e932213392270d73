// A process of a site that thinks, enters, and thinks again:
//
//   site_worker FOLDER SEED ENTRIES [algorithm=NAME] [eps=N] [cluster=LABEL] [listen=HOST:PORT]
//               [join=HOST:PORT] [lease=MS] [trace=FILE]
//
// It prints how long it waited for each entry. The shared memory's `ready` is the barrier at which
// the processes and the test meet: when all have joined, when they are warm, when they have done
// their work, and when the peers that leave first have left.
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "core/random.hpp"
#include "shared_memory.hpp"

namespace {

using namespace conch;
using namespace std::chrono_literals;

constexpr auto think_mean = 30ms;
constexpr auto hold = 1ms;
/// Entries before the measurement, after which all peers know one another.
constexpr int first_entries = 3;

struct Plan {
  std::string folder;
  std::uint64_t seed = 1;
  int entries = 0;
  PeerOptions options;
};

void set(PeerOptions& options, const std::string& word) {
  std::size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  std::string value = word.substr(equals + 1);
  if (name == "algorithm") options.algorithm = value;
  if (name == "eps") options.eps = std::stoul(value);
  if (name == "cluster") options.cluster = value;
  if (name == "lease") options.lease = std::chrono::milliseconds(std::stol(value));
  if (name == "listen") options.listen = {value};
  if (name == "join") options.join = {value};
  if (name == "trace") options.trace = value;
}

Plan plan_of(int argc, char** argv) {
  Plan plan{argv[1], std::stoul(argv[2]), std::stoi(argv[3]), {}};
  plan.options.group = "test";
  plan.options.insecure = true;
  for (int i = 4; i < argc; ++i) set(plan.options, argv[i]);
  return plan;
}

void meet(conch::testing::SharedMemoryFile& memory, unsigned time) {
  ++memory->ready;
  while (memory->ready < time * memory->ready_wanted) std::this_thread::sleep_for(1ms);
}

std::chrono::nanoseconds enter(conch::testing::SharedMemoryFile& memory, Mutex& mutex) {
  std::scoped_lock guard(mutex);
  std::chrono::nanoseconds wait = mutex.receipt().wait;
  memory.enter(mutex.fence());
  std::this_thread::sleep_for(hold);
  mutex.holds() ? memory.exit() : memory.lose();
  return wait;
}

void run(const Plan& plan) {
  conch::testing::SharedMemoryFile memory(plan.folder + "/arena");
  Random random(plan.seed);
  Peer peer(plan.options);
  std::printf("joined\n");
  Mutex mutex(peer, "arena");
  meet(memory, 1);
  for (int i = 0; i < first_entries; ++i) enter(memory, mutex);
  meet(memory, 2);
  for (int i = 0; i < plan.entries; ++i) {
    std::this_thread::sleep_for(random.exponential() * think_mean);
    std::printf("waited %lld\n", static_cast<long long>(enter(memory, mutex).count()));
  }
  meet(memory, 3);
  // Peers without the register leave first: a peer that left after it could tell nobody, and would
  // wait for its lease to end.
  if (!plan.options.join.empty()) peer.leave();
  meet(memory, 4);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    run(plan_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
  return 0;
}
