// Two accounts in two files, and a transfer between them that nobody sees half done. Run it in as
// many shells, or on as many machines, as you like.
//
//   transfer FOLDER TIMES
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>

namespace {

long read_account(const std::string& file) {
  long amount = 1000;
  std::ifstream(file) >> amount;
  return amount;
}

void write_account(const std::string& file, long amount) { std::ofstream(file) << amount; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: transfer FOLDER TIMES\n", 2;
  std::string folder = argv[1];
  try {
    conch::Peer peer;
    conch::Mutex alice(peer, "account alice");
    conch::Mutex bob(peer, "account bob");
    for (int i = std::stoi(argv[2]); i > 0; --i) {
      std::scoped_lock both(alice, bob);
      long amount = read_account(folder + "/alice");
      write_account(folder + "/alice", amount - 1);
      write_account(folder + "/bob", read_account(folder + "/bob") + 1);
    }
  } catch (const std::exception& error) {
    std::cerr << "transfer: " << error.what() << '\n';
    return 1;
  }
}
