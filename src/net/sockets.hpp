// The sockets below a peer's channels: it listens, dials, reads and writes, and decides nothing.
//
// Nothing here is guarded: all calls are made under one lock of the caller's, except `wait` and
// `poke`, which any number of threads may call at any time.
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
#include "net/poller.hpp"
#include "net/reception.hpp"
#include "net/socket.hpp"
#include "net/stream.hpp"
#include "net/tls.hpp"
#include "net/ways.hpp"
#include "wire/channels.hpp"

namespace conch::net {

using recovery::Life;
using wire::ClientId;
using wire::ClientProcess;

struct SocketsOptions : ListenOptions {
  /// Dials TCP even where a Unix socket would do.
  bool tcp_only = false;
  /// One line for everything worth knowing.
  std::function<void(const std::string& line)> log;
  /// This life has opened a stream, which is the listener's from here on. How many it keeps open is
  /// for the listener to limit.
  std::function<void(const Life& from, Stream stream)> stream_came;
};

class Sockets final : public wire::Network {
 public:
  /// Listens from here on. Throws conch::Error: an address that is taken or malformed, one that is
  /// not loopback without TLS, certificates that cannot be read.
  explicit Sockets(SocketsOptions options);
  ~Sockets() override;

  /// What others must know to reach this peer; a Member's address.
  const std::string& address() const { return reception_.address(); }
  /// `host:port` of each listener.
  std::vector<std::string> listens() const { return reception_.listens(); }
  /// Whether the Unix socket still has its name. Somebody may have removed it.
  bool has_socket_file() const { return reception_.has_socket_file(); }
  /// Listens on the Unix socket anew. Throws conch::Error, and then goes on as it was.
  void listen_again();

  /// These go with what is sent to this client next that encloses something, at most
  /// `Socket::descriptors_max`.
  void enclose(ClientId client, std::vector<Descriptor> descriptors);
  /// None for one that has gone.
  ClientProcess process_of(ClientId client) const;

  /// Readable when `wait` would not wait.
  int descriptor() const { return poller_.descriptor(); }
  /// Until something has happened, somebody pokes, or this time has come on the steady clock.
  Readiness wait(Time until) const { return poller_.wait(until); }
  void poke() const { poller_.poke(); }
  /// Reads, writes, accepts: the channels are told.
  void work(const Readiness& ready, wire::Channels& channels);
  /// When `work` has something to do even if nothing happens.
  Time wakes() const { return doors_open_at_; }

  Dialed dial(const std::string& address, unsigned attempt) override;
  Taken write(Serial serial, std::string_view bytes, bool encloses) override;
  void close(Serial serial) override;
  void hand_over(const wire::Connection& connection, const Life& from) override;
  void log(const std::string& line) override {
    if (options_.log) options_.log(line);
  }

 private:
  struct Line {
    Serial serial = 0;
    Socket socket;
    enum class Stage : std::uint8_t { connecting, securing, open } stage{};
    /// What epoll watches it for.
    std::uint32_t events = 0;
    /// What goes with messages that say so, the next first.
    std::deque<std::vector<Descriptor>> enclosed = {};
  };

  Line* find(Serial serial);
  Line& add(Socket socket, bool is_connected);
  void watch(Line& line, std::uint32_t events);
  bool wants_tls(wire::Route route) const { return tls_ && route == wire::Route::remote; }
  void accept(const Reception::Door& door, wire::Channels& channels);
  void take_in(Descriptor socket, wire::Route route, wire::Channels& channels);
  void close_doors(wire::Channels& channels);
  void open_doors();
  void serve(Serial serial, std::uint32_t events, wire::Channels& channels);
  void go_on_connecting(Line& line, std::uint32_t events, wire::Channels& channels);
  void secure(Line& line, wire::Channels& channels);
  void read(Line& line, wire::Channels& channels);

  SocketsOptions options_;
  std::unique_ptr<TlsContext> tls_;
  Reception reception_;
  Poller poller_;
  Here here_{folder_of(options_.socket)};

  std::unordered_map<Serial, Line> lines_;
  Serial next_serial_;
  /// While the system has no more descriptors, nobody is let in.
  Time doors_open_at_ = Time::max();

  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(buffer_bytes);
};

}  // namespace conch::net
