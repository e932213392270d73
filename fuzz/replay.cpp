// Runs a fuzz target without libFuzzer, on its seeds and on variants that are damaged in some
// places, always the same ones. So the tests build the targets, too, and find the shallow bugs.
//
//   fuzz_frames 2000          the first 2000 inputs
//   fuzz_frames 1235 1234     input 1234 alone, to see again what it finds
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <random>

#include "fuzz.hpp"

using namespace conch;

namespace {

class Spoiler {
 public:
  explicit Spoiler(unsigned number) : random_(number) {}

  std::string spoil(std::string input) {
    for (std::size_t left = 1 + up_to(4); left > 0; --left) change(input);
    return input;
  }

 private:
  std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  char any() {
    constexpr std::string_view likely("\0\1\x7f\x80\xff", 5);
    return up_to(1) == 0 ? likely[up_to(4)] : static_cast<char>(up_to(255));
  }
  void change(std::string& input) {
    std::size_t at = up_to(input.size());
    std::size_t length = std::min(up_to(up_to(1) == 0 ? 4 : 64), input.size() - at);
    switch (up_to(4)) {
      case 0: input.insert(at, 1 + length, any()); break;
      case 1: input.erase(at, length); break;
      case 2: input.insert(up_to(input.size()), input.substr(at, length)); break;
      case 3: input.resize(at); break;
      default:
        if (at < input.size()) input[at] = any();
    }
  }

  std::minstd_rand random_;
};

/// The number of the input that a process tries now.
using Current = std::atomic<int>;

void try_inputs(int first, int count, Current& current) {
  const std::vector<std::string> seeds = fuzz::seeds();
  auto kinds = static_cast<int>(seeds.size());
  for (int number = first; number < std::max(count, kinds); ++number) {
    current = number;
    std::string input = seeds[static_cast<std::size_t>(number % kinds)];
    if (number >= kinds) input = Spoiler(static_cast<unsigned>(number)).spoil(std::move(input));
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
}

}  // namespace

/// A child process tries the inputs: however it ends, this process can name the input.
int main(int argc, char** argv) {
  int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  int first = argc > 2 ? std::atoi(argv[2]) : 0;
  void* shared =
      ::mmap(nullptr, sizeof(Current), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  fuzz::require(shared != MAP_FAILED, "memory for one number");
  auto& current = *new (shared) Current(first);
  pid_t child = ::fork();
  fuzz::require(child >= 0, "a process");
  if (child == 0) {
    try_inputs(first, count, current);
    std::exit(0);
  }
  int status = 0;
  fuzz::require(::waitpid(child, &status, 0) == child, "the process ends");
  if (status == 0) return 0;
  std::fprintf(stderr, "fuzz: it was input %d; again: %s %d %d\n", current.load(), argv[0],
               current + 1, current.load());
  return 1;
}
