// A long wire on one machine: what goes through it arrives some time later. Stands between the
// peers of two places, so that a demo has places.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "cli/crew.hpp"
#include "net/descriptor.hpp"

namespace conch::cli {

/// A port of 127.0.0.1 that nobody uses just now.
std::uint16_t free_port();

class SlowWire {
 public:
  explicit SlowWire(Seconds delay) : delay_ns_(static_cast<std::uint64_t>(delay.count() * 1e9)) {}

  /// Another port of 127.0.0.1, from which the wire leads to this one. Throws.
  std::uint16_t lead_to(std::uint16_t port);
  /// In a process of its own, for ever.
  [[noreturn]] void run();

 private:
  struct Door {
    net::Descriptor socket;
    std::uint16_t leads_to = 0;
  };
  struct Batch {
    std::uint64_t due_ns = 0;
    std::string bytes;
  };
  /// From one end of a connection to the other.
  struct Flow {
    std::deque<Batch> batches;
    bool ended = false;
  };
  struct Connection {
    std::array<net::Descriptor, 2> ends;
    /// From each of the ends.
    std::array<Flow, 2> flows;
    bool broken = false;
  };

  void accept(const Door& door);
  void read(Connection& connection, std::size_t end) const;
  void write(Connection& connection, std::size_t end) const;
  void wait();

  std::uint64_t delay_ns_;
  std::vector<Door> doors_;
  std::list<Connection> connections_;
};

}  // namespace conch::cli
