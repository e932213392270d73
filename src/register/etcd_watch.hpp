// Watches a group's keys in a thread of its own, and writes what it hears into the ledger. It
// decides nothing: if it misses something because no member can be reached, the next answer of etcd
// has it.
#pragma once

#include <string>
#include <thread>

#include "register/directory.hpp"
#include "register/etcd_client.hpp"
#include "register/etcd_ledger.hpp"
#include "register/etcd_names.hpp"

namespace conch::etcd {

class Watch {
 public:
  struct Options {
    ClientOptions client;
    Duration patience{};
    std::string cluster;
    /// The revision to start from.
    std::int64_t from = 0;
    /// After this long without news, it asks another member.
    Duration silence_max{};
  };
  Watch(Options options, KeyNames names, LeaseLedger& ledger);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void run();
  void follow();
  void take(const WatchUpdate& news);
  void take(const WatchEvent& event);

  KeyNames names_;
  LeaseLedger& ledger_;
  Duration silence_max_;
  std::string cluster_;
  std::int64_t from_;
  net::Descriptor stop_;
  Client client_;
  std::thread thread_;
};

}  // namespace conch::etcd
