// Hears what happens to a group's keys, in a thread of its own, and writes it into the ledger. It
// decides nothing: what it misses, because no member can be reached, is told by the next answer.
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
    /// From then on there is something to hear.
    std::int64_t from = 0;
    /// If nothing was heard for so long, another member is asked.
    Duration silence_max{};
  };
  Watch(Options options, Names names, Ledger& ledger);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void run();
  void follow();
  void take(const News& news);
  void take(const Event& event);

  Names names_;
  Ledger& ledger_;
  Duration silence_max_;
  std::string cluster_;
  std::int64_t from_;
  file::Descriptor stop_;
  Client client_;
  std::thread thread_;
};

}  // namespace conch::etcd
