// The sockets below a peer's channels: they listen, dial, read and write, and decide nothing.
//
// Not thread-safe: the caller makes all calls under one mutex, except `wait` and `poke`, which any
// thread may call at any time.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "net/descriptor.hpp"
#include "net/dial.hpp"
#include "net/listeners.hpp"
#include "net/poller.hpp"
#include "net/socket.hpp"
#include "net/stream.hpp"
#include "net/tls.hpp"
#include "wire/channels.hpp"

namespace conch::net {

using wire::ClientId;
using wire::ClientProcess;

struct SocketsOptions : ListenOptions {
  /// Dials TCP even where a Unix socket would do.
  bool tcp_only = false;
  /// Receives the log lines, one for each notable event.
  std::function<void(const std::string& line)> log;
  /// Called when this life has opened a stream; the callee owns the stream from then on, and limits
  /// how many are open.
  std::function<void(const PeerInstance& from, Stream stream)> stream_came;
};

class Sockets final : public wire::Network {
 public:
  /// Starts to listen. Throws conch::Error if an address is taken, malformed, or not loopback
  /// without TLS, or if certificates cannot be read.
  explicit Sockets(SocketsOptions options);
  ~Sockets() override;

  /// The address that others need to reach this peer; it becomes the address of its Member.
  const std::string& address() const { return listeners_.address(); }
  /// `host:port` of each TCP listener.
  std::vector<std::string> listens() const { return listeners_.listens(); }
  /// Whether the Unix socket still has its file, which may have been removed.
  bool has_socket_file() const { return listeners_.has_socket_file(); }
  /// Listens on the Unix socket anew. If that throws conch::Error, nothing has changed.
  void listen_again();

  /// Queues descriptors, at most Socket::descriptors_max. They go with the next message to this
  /// client that is sent with `encloses`.
  void enclose(ClientId client, std::vector<Descriptor> descriptors);
  /// Returns an empty ClientProcess if the client has gone.
  ClientProcess process_of(ClientId client) const;

  /// Readable if `wait` would return at once.
  int descriptor() const { return poller_.descriptor(); }
  /// Waits until there is an event, a poke, or this time on the steady clock.
  Readiness wait(Time until) const { return poller_.wait(until); }
  void poke() const { poller_.poke(); }
  /// Reads, writes and accepts; reports what happened to the channels.
  void work(const Readiness& ready, wire::Channels& channels);
  /// When `work` has something to do even without an event.
  Time wakes() const { return listeners_open_at_; }

  Dialed dial(const std::string& address, unsigned attempt) override;
  Taken write(Serial serial, std::string_view bytes, bool encloses) override;
  void close(Serial serial) override;
  void hand_over(const wire::Connection& connection, const PeerInstance& from) override;
  void log(const std::string& line) override {
    if (options_.log) options_.log(line);
  }

 private:
  struct Connection {
    Serial serial = 0;
    Socket socket;
    enum class Stage : std::uint8_t { connecting, securing, open } stage{};
    /// The events that epoll watches for.
    std::uint32_t events = 0;
    /// Descriptors for the messages that enclose some, in the order of sending.
    std::deque<std::vector<Descriptor>> enclosed = {};
  };

  Connection* find(Serial serial);
  Connection& add(Socket socket, bool is_connected);
  void watch(Connection& connection, std::uint32_t events);
  bool wants_tls(wire::Route route) const { return tls_ && route == wire::Route::remote; }
  void accept(const Listeners::Listener& listener, wire::Channels& channels);
  void take_in(Descriptor socket, wire::Route route, wire::Channels& channels);
  void close_listeners(wire::Channels& channels);
  void open_listeners();
  void serve(Serial serial, std::uint32_t events, wire::Channels& channels);
  void go_on_connecting(Connection& connection, std::uint32_t events, wire::Channels& channels);
  void secure(Connection& connection, wire::Channels& channels);
  void read(Connection& connection, wire::Channels& channels);

  SocketsOptions options_;
  std::unique_ptr<TlsContext> tls_;
  Listeners listeners_;
  Poller poller_;
  LocalHost here_{folder_of(options_.socket)};

  std::unordered_map<Serial, Connection> connections_;
  Serial next_serial_;
  /// When to listen again. Without free descriptors, the listeners pause until then.
  Time listeners_open_at_ = Time::max();

  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(buffer_bytes);
};

}  // namespace conch::net
