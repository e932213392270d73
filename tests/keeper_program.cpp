// Runs a command under a lock that is a FIFO. The lock is held while a process has the FIFO open
// for writing.
//
//   keeper_program FIFO LOST GRACE_MS -- COMMAND...
//
// LOST is an open file that becomes readable when the lock is lost, or -1. With $LEASE_MS the lock
// has a lease of that length. $RENEWALS is how often the lease is renewed, every tenth of its
// length. With $EXPIRED the command starts after the lease has ended.
#include <fcntl.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/keeper.hpp"

namespace {

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

}  // namespace

int main(int count, char** words) try {
  if (count < 6 || std::string(words[4]) != "--") {
    std::cerr << "usage: keeper_program FIFO LOST GRACE_MS -- COMMAND...\n";
    return 2;
  }
  using namespace conch;
  int lost = std::atoi(words[2]);
  if (lost >= 0) ::fcntl(lost, F_SETFD, FD_CLOEXEC);
  cli::Keeper keeper;
  std::optional<file::LeasePage> lease;
  std::optional<file::LeaseReader> reader;
  std::chrono::milliseconds length(number_in_environment("LEASE_MS"));
  auto renew = [&] { lease->prolong(file::BootClock::now() + length); };
  if (length.count() > 0) {
    lease.emplace(length);
    reader.emplace(net::Descriptor(::dup(lease->descriptor())));
    renew();
  }
  if (number_in_environment("EXPIRED") > 0) std::this_thread::sleep_until(reader->read().end);
  // Stands for the threads of a peer, which must not receive the signals.
  std::jthread another([&](const std::stop_token& asked) {
    int renewals = number_in_environment("RENEWALS");
    for (; renewals > 0 && !asked.stop_requested(); --renewals, renew())
      std::this_thread::sleep_for(length / 10);
    while (!asked.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  net::Descriptor kept(::open(words[1], O_WRONLY | O_CLOEXEC));
  if (!kept) return 3;
  cli::UnderLock under{"a lock", 17, {}, lost, reader ? &*reader : nullptr};
  under.kept.push_back(std::move(kept));
  under.reprieve.grace = std::chrono::milliseconds(std::atoi(words[3]));
  return cli::status_of(keeper.run({words + 5, words + count}, under));
} catch (const std::exception& error) {
  std::cerr << "keeper_program: " << error.what() << "\n";
  return 4;
}
