// A peer that enters its locks one after the other: soak_worker FOLDER NUMBER PEERS LOCKS. About
// four peers share each lock.
#include <unistd.h>

#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <cstdio>
#include <exception>
#include <random>
#include <string>

#include "peer/heap.hpp"
#include "soak/page.hpp"

namespace {

using namespace conch;

class Worker {
 public:
  Worker(const std::string& folder, std::uint32_t number, std::uint32_t peers, std::uint32_t locks)
      : page_(folder + "/page"), number_(number), locks_(locks), dice_(number) {
    options_.group = "soak";
    options_.state_directory = folder + "/state";
    options_.admission_patience = std::chrono::minutes(2);
    share_ = locks / peers * 4 + 1;
    first_ = locks / peers * (number - 1);
  }

  void live() {
    while (!page_->over) {
      Peer peer(options_);
      ++page_->joined;
      while (!page_->over && page_->leaver != number_) visit(peer);
      peer.leave();
      --page_->joined;
      if (page_->over) return;
      ++page_->rejoins;
      page_->leaver = 0;
    }
  }

 private:
  void visit(Peer& peer) {
    std::uint32_t which = (first_ + static_cast<std::uint32_t>(dice_()) % share_) % locks_;
    Mutex mutex(peer, "lock " + std::to_string(which));
    if (!mutex.try_lock_for(std::chrono::seconds(1))) return;
    std::int32_t before = page_->inside[which].exchange(::getpid());
    bool was_lost = !mutex.holds();
    if (before != 0 && !was_lost) ++page_->overlaps;
    std::int32_t self = ::getpid();
    page_->inside[which].compare_exchange_strong(self, 0);
    if (!mutex.holds()) ++page_->losses;
    ++page_->entries;
    mutex.unlock();
  }

  soak::SharedPage page_;
  std::uint32_t number_;
  std::uint32_t locks_;
  std::uint32_t share_;
  std::uint32_t first_;
  std::minstd_rand dice_;
  PeerOptions options_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  conch::peer::keep_heap_small();  // as `conch peer` does
  try {
    auto number = [&](int which) { return static_cast<std::uint32_t>(std::stoul(argv[which])); };
    Worker(argv[1], number(2), number(3), number(4)).live();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker %s: %s\n", argv[2], error.what());
    return 1;
  }
  return 0;
}
