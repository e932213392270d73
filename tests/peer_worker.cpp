// A worker process that enters again and again: peer_worker FOLDER SEED [rejoin] [think] [two]
// [tcp] [algorithm=NAME] [trace=FILE] [speaks=2-3]. It ends when the shared memory has counted
// enough handovers.
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "peer/build.hpp"
#include "shared_memory.hpp"

namespace {

using namespace conch;

struct Plan {
  std::string folder;
  unsigned seed = 1;
  bool rejoins = false;
  bool thinks = false;
  bool locks_two = false;
  PeerOptions options;
  peer::Build build = {};
};

/// Parses the protocol versions of another release, such as 2-3.
Versions versions_in(const std::string& text) {
  return {static_cast<std::uint32_t>(std::stoul(text)),
          static_cast<std::uint32_t>(std::stoul(text.substr(text.find('-') + 1)))};
}

Plan plan_of(int argc, char** argv) {
  Plan plan{argv[1], static_cast<unsigned>(std::stoul(argv[2])), false, false, false, {}, {}};
  plan.options.group = "test";
  plan.options.state_directory = plan.folder + "/state";
  for (int i = 3; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "rejoin") plan.rejoins = true;
    if (word == "think") plan.thinks = true;
    if (word == "two") plan.locks_two = true;
    if (word == "tcp") plan.options.listen = {"127.0.0.1:0"};
    if (word == "tcp") plan.options.tcp_only = true;
    if (word.starts_with("algorithm=")) plan.options.algorithm = word.substr(10);
    if (word.starts_with("speaks=")) plan.build.speaks = versions_in(word.substr(7));
    if (word.starts_with("trace=")) plan.options.trace = word.substr(6);
  }
  return plan;
}

void visit(conch::testing::SharedMemoryFile& memory, const Mutex& mutex) {
  memory.enter(mutex.fence());
  return mutex.holds() ? memory.exit() : memory.lose();
}

/// Works until there are enough handovers, or for this many turns; then the peer leaves for a
/// moment.
void work(Peer& peer, conch::testing::SharedMemoryFile& memory, std::uint64_t turns,
          const Plan& plan) {
  Mutex mutex(peer, "arena");
  Mutex other(peer, "other");
  for (std::uint64_t turn = 0; turn < turns && !memory.done(); ++turn) {
    if (!plan.locks_two) {
      std::scoped_lock guard(mutex);
      visit(memory, mutex);
    } else if (plan.seed % 2 == 0) {
      std::scoped_lock guard(mutex, other);
      visit(memory, mutex);
    } else {
      std::scoped_lock guard(other, mutex);
      visit(memory, mutex);
    }
    if (plan.thinks) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void run(const Plan& plan) {
  conch::testing::SharedMemoryFile memory(plan.folder + "/arena");
  std::minstd_rand dice(plan.seed);
  while (!memory.done()) {
    Peer peer(plan.options, plan.build);
    ++memory->ready;
    while (memory->ready < memory->ready_wanted)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    work(peer, memory, plan.rejoins ? 1 + dice() % 500 : ~std::uint64_t{0}, plan);
    if (!memory.done()) ++memory->rejoins;
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
