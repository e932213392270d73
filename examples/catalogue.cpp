// A price list in two files that must agree. Readers read at the same time; a writer is alone. This
// needs an algorithm with shared access: here elmp, for a group of its own.
//
//   catalogue read|write FOLDER TIMES
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <fstream>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace {

long read_number(const std::string& file) {
  long number = 0;
  std::ifstream(file) >> number;
  return number;
}

void write_number(const std::string& file, long number) { std::ofstream(file) << number; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::cerr << "usage: catalogue read|write FOLDER TIMES\n", 2;
  std::string net = std::string(argv[2]) + "/net";
  std::string gross = std::string(argv[2]) + "/gross";
  bool writes = argv[1] == std::string("write");
  try {
    conch::PeerOptions options;
    options.group = "catalogue";
    options.algorithm = "elmp";
    conch::Peer peer(options);
    conch::SharedMutex prices(peer, "prices");
    for (int i = std::stoi(argv[3]); i > 0; --i) {
      if (writes) {
        std::unique_lock alone(prices);
        write_number(net, read_number(net) + 100);
        write_number(gross, read_number(gross) + 119);
      } else {
        std::shared_lock together(prices);
        if (read_number(net) * 119 != read_number(gross) * 100)
          return std::cerr << "the lists do not agree\n", 1;
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "catalogue: " << error.what() << '\n';
    return 1;
  }
}
