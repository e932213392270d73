// Two ranks hand a block to each other, as the processes of pair.cpp do. Each has a window. The
// giver locks the window of the taker, puts the block there, unlocks it and sends the time at which
// it began. When that arrives, the taker has the block. It opens an epoch on its own window,
// without which it must not read it, and reads the clock.
//
//   mpi_ranks SIZE HANDOVERS    under mpirun -n 2
#include <mpi.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "course.hpp"
#include "shared.hpp"

namespace {

using namespace conch::bench;

class Rank {
 public:
  explicit Rank(std::size_t size) : size_(size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &self_);
    MPI_Win_allocate(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &block_,
                     &window_);
    std::memset(block_, 0, size);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Rank() { MPI_Win_free(&window_); }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  int self() const { return self_; }

  void give(int number) {
    inscribe(number);
    MPI_Recv(nullptr, 0, MPI_BYTE, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::uint64_t awaited_ns = now_ns(); now_ns() - awaited_ns < asleep_ns;) continue;
    std::uint64_t given_ns = now_ns();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other(), 0, window_);
    int count = static_cast<int>(size_);
    MPI_Put(block_, count, MPI_BYTE, other(), 0, count, MPI_BYTE, window_);
    MPI_Win_unlock(other(), window_);
    MPI_Send(&given_ns, 1, MPI_UINT64_T, other(), 0, MPI_COMM_WORLD);
  }

  /// Takes the block and returns the nanoseconds since the giver began.
  std::uint64_t take(int number) {
    MPI_Send(nullptr, 0, MPI_BYTE, other(), 0, MPI_COMM_WORLD);
    std::uint64_t given_ns = 0;
    MPI_Recv(&given_ns, 1, MPI_UINT64_T, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, self_, 0, window_);
    std::uint64_t taken_ns = now_ns() - given_ns;
    check(number);
    MPI_Win_unlock(self_, window_);
    return taken_ns;
  }

 private:
  int other() const { return 1 - self_; }

  void inscribe(int number) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, self_, 0, window_);
    std::memcpy(block_, &number, sizeof number);
    std::memcpy(block_ + size_ - sizeof number, &number, sizeof number);
    MPI_Win_unlock(self_, window_);
  }

  void check(int number) const {
    for (std::size_t at : {std::size_t{0}, size_ - sizeof number}) {
      int found = 0;
      std::memcpy(&found, block_ + at, sizeof found);
      if (found == number) continue;
      std::printf("the block of handover %d says %d\n", number, found);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

  std::size_t size_;
  int self_ = 0;
  char* block_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

void print_library() {
  std::string name(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  name.resize(static_cast<std::size_t>(length));
  std::string version = name.substr(0, name.find(','));  // "Open MPI v4.1.4"
  if (std::size_t at = version.find(" v"); at != std::string::npos) version.erase(at + 1, 1);
  std::printf("library %s\n", version.c_str());
}

void hand_over(std::size_t size, int handovers) {
  Rank rank(size);
  std::vector<std::uint64_t> times_ns;
  for (int number = 1; number <= warm_up_handovers + handovers; ++number) {
    if (number % 2 != rank.self()) {
      rank.give(number);
    } else if (std::uint64_t ns = rank.take(number); number > warm_up_handovers) {
      times_ns.push_back(ns);
    }
  }
  if (rank.self() == 0) print_library();
  for (std::uint64_t ns : times_ns) std::printf("ns %llu\n", static_cast<unsigned long long>(ns));
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // mpirun may be killed
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks != 2) {
    std::fputs("mpi_ranks: needs two ranks, a size and how often\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  hand_over(std::strtoull(argv[1], nullptr, 10), std::atoi(argv[2]));
  MPI_Finalize();
}
