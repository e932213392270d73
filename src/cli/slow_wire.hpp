// A proxy on this machine that delays all bytes by a fixed time. The demo puts it between the peers
// of two places.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "cli/worker_processes.hpp"
#include "net/descriptor.hpp"
#include "net/loopback.hpp"

namespace conch::cli {

class SlowWire {
 public:
  explicit SlowWire(Seconds delay) : delay_ns_(static_cast<std::uint64_t>(delay.count() * 1e9)) {}

  /// HOST:PORT of one peer.
  struct PeerAddresses {
    std::string listen;
    /// Leads to `listen` over the wire.
    std::string advertise;
  };
  /// Throws std::system_error.
  PeerAddresses add_peer();
  /// Runs in a process of its own, for ever.
  [[noreturn]] void run();

 private:
  struct Listener {
    net::ReservedPort own;
    net::ReservedPort leads_to;
  };
  struct Batch {
    std::uint64_t due_ns = 0;
    std::string bytes;
  };
  /// The bytes from one end of a connection to the other.
  struct Flow {
    std::deque<Batch> batches;
    bool ended = false;
  };
  struct Connection {
    std::array<net::Descriptor, 2> ends;
    /// One from each of the ends.
    std::array<Flow, 2> flows;
    bool broken = false;
  };

  void accept(const Listener& listener);
  void read(Connection& connection, std::size_t end) const;
  void write(Connection& connection, std::size_t end) const;
  void wait();

  std::uint64_t delay_ns_;
  std::vector<Listener> listeners_;
  std::list<Connection> connections_;
};

}  // namespace conch::cli
