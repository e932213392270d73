// The network between sites: it reads the IP packets of all sites, and delivers each to its
// destination at the time that its line decides.
//
// It has a thread for that. All functions may be called by any thread while packets are on their
// way, and take effect at once.
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
#include "rig/emulated_line.hpp"

namespace conch::rig {

class Wire {
 public:
  /// Each site has one end: a read takes a packet that the site sends, a write delivers one to it.
  /// The ends do not block.
  Wire(std::vector<net::Descriptor> ends, std::uint64_t seed);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Sets the quality of all lines.
  void set(const Quality& quality);
  void set(Direction way, const Quality& quality);
  /// Drops packets between these sites and the others, also those on their way; if `one_way`, only
  /// those that these sites send. Lines that were cut before stay cut.
  void part(const std::vector<std::size_t>& sites, bool one_way = false);
  void heal();

  Traffic traffic(Direction way) const;
  /// The traffic of all lines.
  Traffic traffic() const;

 private:
  struct Delivery {
    Direction way;
    std::string bytes;
  };

  void cut(Direction way, EmulatedLine& line);
  void run();
  void read_some(std::size_t from);
  void take(std::size_t from, std::string_view bytes);
  void deliver_due();

  const std::vector<net::Descriptor> ends_;
  net::Poller poller_;
  mutable std::mutex mutex_;
  std::map<Direction, EmulatedLine> lines_;
  /// The packets on their way by arrival time; those with equal times stay in order.
  std::multimap<Time, Delivery> deliveries_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace conch::rig
