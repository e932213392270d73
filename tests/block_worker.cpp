// A worker process of block_test, which takes a block of memory, checks it and changes it, again
// and again: block_worker FOLDER BYTES [tcp] [copies=K]. It ends when the shared memory has counted
// enough handovers.
#include <unistd.h>

#include <conch/data.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "block.hpp"
#include "shared_page.hpp"

namespace {

using namespace conch;
using conch::testing::Block;
using conch::testing::BlockArena;

class Worker {
 public:
  Worker(Peer& peer, BlockArena& memory, std::size_t bytes, const DataOptions& options)
      : memory_(memory), bytes_(bytes), copies_(options.copies), data_(peer, "block", options) {}

  void run() {
    while (memory_.handovers < memory_.handovers_wanted) {
      std::uint64_t released = memory_.released;
      if (!come_in()) continue;
      if (memory_.last_process.exchange(::getpid()) != ::getpid()) ++memory_.handovers;
      Block block(data_.bytes());
      bool is_lost = copies_ > 0 && block.count() < released;
      if (is_lost) ++memory_.versions_lost;
      if (!block.is_whole()) ++memory_.wrong_sums;
      block.change();
      leave(block.count());
    }
  }

 private:
  /// Fills the block anew, with a larger count, because the data are not as the last holder left
  /// them.
  bool begin_anew(std::atomic<std::uint64_t>& counter) {
    ++counter;
    if (data_.acquire() != Outcome::ok || data_.resize(bytes_) != Outcome::ok) return false;
    Block(data_.bytes()).fill(memory_.released + 1);
    return true;
  }
  bool come_in() {
    data_.request();
    switch (data_.acquire()) {
      case Outcome::ok: break;
      case Outcome::torn: return begin_anew(memory_.torn);
      case Outcome::peer_lost:
        if (data_.state() != HandleState::lost) return begin_anew(memory_.rolled_back);
        data_.create("block");
        return false;
      default: return false;
    }
    if (!data_.bytes().empty()) return true;
    if (data_.resize(bytes_) != Outcome::ok) return false;
    Block(data_.bytes()).fill(1);
    return true;
  }
  void leave(std::uint64_t count) {
    if (data_.release() != Outcome::ok) return;
    ++memory_.releases;
    std::uint64_t before = memory_.released;
    while (before < count && !memory_.released.compare_exchange_weak(before, count)) {
    }
  }

  BlockArena& memory_;
  std::size_t bytes_;
  unsigned copies_;
  Data data_;
};

void run(int argc, char** argv) {
  std::string folder = argv[1];
  PeerOptions options;
  options.group = "test";
  options.state_directory = folder + "/state";
  DataOptions data;
  for (int i = 3; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "tcp") options.listen = {"127.0.0.1:0"};
    if (word == "tcp") options.tcp_only = true;
    if (word.starts_with("copies="))
      data.copies = static_cast<unsigned>(std::stoul(word.substr(7)));
  }
  conch::testing::SharedPage<BlockArena> memory(folder + "/arena");
  Peer peer(options);
  ++memory->ready;
  while (memory->ready < memory->ready_wanted)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Worker(peer, *memory, std::stoul(argv[2]), data).run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
  return 0;
}
