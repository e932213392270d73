// Runs a command under a lock that is a FIFO: it is taken while anybody has it open for writing.
//
//   keeper_program FIFO LOST GRACE_MS -- COMMAND...
//
// LOST is an open file that becomes readable when the lock is lost, or -1.
#include <fcntl.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "cli/keeper.hpp"

int main(int count, char** words) try {
  if (count < 6 || std::string(words[4]) != "--") {
    std::cerr << "usage: keeper_program FIFO LOST GRACE_MS -- COMMAND...\n";
    return 2;
  }
  using namespace conch;
  int lost = std::atoi(words[2]);
  if (lost >= 0) ::fcntl(lost, F_SETFD, FD_CLOEXEC);
  cli::Keeper keeper;
  // As the threads of a peer: they must not get the signals.
  std::jthread another([](const std::stop_token& asked) {
    while (!asked.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  file::Descriptor kept(::open(words[1], O_WRONLY | O_CLOEXEC));
  if (!kept) return 3;
  cli::UnderLock under{"a lock", 17, kept.number(), lost,
                       std::chrono::milliseconds(std::atoi(words[3]))};
  return cli::status_of(keeper.run({words + 5, words + count}, under));
} catch (const std::exception& error) {
  std::cerr << "keeper_program: " << error.what() << "\n";
  return 4;
}
