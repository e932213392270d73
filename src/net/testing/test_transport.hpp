// Channels over real sockets, as in a peer, but without the peer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "net/clock.hpp"
#include "net/sockets.hpp"

namespace conch::net::testing {

struct TestTransportOptions : SocketsOptions {
  PeerInstance self;
  std::string group;
  std::string algorithm;
  std::size_t kept_bytes_max = std::size_t{64} << 20;
};

class TestTransport {
 public:
  using Counts = wire::Channels::Counts;

  TestTransport(const TestTransportOptions& options, wire::Recipient& recipient)
      : sockets_(options),
        channels_({{options.self, options.group, options.algorithm},
                   sockets_.address(),
                   options.kept_bytes_max},
                  sockets_, recipient) {}

  const std::string& address() const { return sockets_.address(); }
  std::vector<std::string> listens() const { return sockets_.listens(); }
  bool has_socket_file() const { return sockets_.has_socket_file(); }
  void listen_again() { sockets_.listen_again(); }

  void live_as(const PeerInstance& self) { channels_.live_as(self, steady_now()); }
  void know(const PeerInstance& life, const std::string& address) { channels_.know(life, address); }
  void forget(const PeerInstance& life) { channels_.forget(life); }
  void contact(const std::string& address) { channels_.contact(address); }
  bool send(const PeerInstance& to, std::string_view payload) {
    return channels_.send(to, payload);
  }
  void send(ClientId client, std::string_view payload, std::vector<Descriptor> enclosed = {}) {
    bool encloses = !enclosed.empty();
    if (encloses) sockets_.enclose(client, std::move(enclosed));
    channels_.send(client, payload, encloses);
  }
  void dismiss(ClientId client) { channels_.dismiss(client); }
  bool is_surplus(ClientId client) const { return channels_.is_surplus(client); }
  ClientProcess process_of(ClientId client) const { return sockets_.process_of(client); }
  void flush() { channels_.flush(steady_now()); }

  int descriptor() const { return sockets_.descriptor(); }
  Readiness wait(Time until) const { return sockets_.wait(std::min(until, wakes())); }
  void poke() const { sockets_.poke(); }
  void work(const Readiness& ready, Time now = steady_now()) {
    sockets_.work(ready, channels_);
    channels_.tick(now);
  }
  Time wakes() const { return std::min(channels_.wakes(), sockets_.wakes()); }

  bool is_local(const PeerInstance& life) const { return channels_.is_local(life); }
  std::uint32_t version_with(const PeerInstance& life) const {
    return channels_.version_with(life);
  }
  std::size_t backlog(const PeerInstance& life) const { return channels_.backlog(life); }
  std::vector<std::pair<PeerInstance, Duration>> unacknowledged(Time now) const {
    return channels_.unacknowledged(now);
  }
  const Counts& counts() const { return channels_.counts(); }

 private:
  Sockets sockets_;
  wire::Channels channels_;
};

}  // namespace conch::net::testing
