// The network between sites: it reads IP packets from all of them, and delivers each to its
// destination when its line says so.
//
// A thread of its own does it. The functions may be called by any other, while packets are on their
// way, and hold from then on.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/descriptor.hpp"
#include "net/poller.hpp"
#include "rig/line.hpp"

namespace conch::rig {

class Wire {
 public:
  /// One end for each site: a read takes one packet that it sends, a write brings it one. They do
  /// not block.
  Wire(std::vector<net::Descriptor> ends, std::uint64_t seed);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// All lines.
  void set(const Quality& quality);
  void set(Way way, const Quality& quality);
  /// Packets between these sites and the others are dropped, those on their way, too; `one_way`:
  /// what these send. Comes on top of what was parted before.
  void part(const std::vector<std::size_t>& sites, bool one_way = false);
  void heal();

  Traffic traffic(Way way) const;
  /// Of all lines.
  Traffic traffic() const;

 private:
  struct Delivery {
    Way way;
    std::string bytes;
  };

  void cut(Way way, Line& line);
  void run();
  void read_some(std::size_t from);
  void take(std::size_t from, std::string_view bytes);
  void deliver_due();

  const std::vector<net::Descriptor> ends_;
  net::Poller poller_;
  mutable std::mutex mutex_;
  std::map<Way, Line> lines_;
  /// By when they are due; of those that are due at once, the first that came is the first.
  std::multimap<Time, Delivery> deliveries_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace conch::rig
