// Brings payloads to other lives, each once and in order, over sockets that come and go: the
// channels of wire/channels.hpp, where everything about them is decided.
//
// Nothing here is guarded: all calls are made under one lock of the caller's, except `wait` and
// `poke`, which any number of threads may call at any time.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <conch/error.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "net/descriptor.hpp"
#include "recovery/view.hpp"
#include "wire/channels.hpp"
#include "wire/client.hpp"

namespace conch::net {

using recovery::Life;
using wire::ClientId;
using wire::ClientProcess;

struct Tls {
  std::string certificate;
  std::string key;
  std::string authority;
  bool enabled() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
};

struct CourierOptions {
  Life self;
  std::string group;
  std::string algorithm;
  /// Where to make the Unix socket, in a folder that only this user may enter.
  std::string socket;
  /// `host:port`; port 0 lets the system choose.
  std::vector<std::string> listen;
  /// Instead of the addresses of `listen`, if not empty.
  std::string advertise;
  Tls tls;
  bool insecure = false;
  /// Dials TCP even where a Unix socket would do.
  bool tcp_only = false;
  /// Of a channel: the bytes that may be unacknowledged.
  std::size_t kept_bytes_max = std::size_t{64} << 20;
  /// One line for everything worth knowing.
  std::function<void(const std::string& line)> log;
};

class Stream;

/// Who is told what has come. It may call the courier from within, but not `work`.
class Recipient : public wire::Recipient {
 public:
  /// This life has opened a stream, which is the recipient's from here on. How many it keeps open
  /// is for the recipient to limit.
  virtual void stream_came(const Life& from, Stream stream) = 0;
};

/// What `wait` has seen; to be given to `work`.
struct Readiness {
  std::array<epoll_event, 64> events;
  int count = 0;
};

class Courier {
 public:
  /// Listens from here on. Throws conch::Error: an address that is taken or malformed, one that is
  /// not loopback without TLS, certificates that cannot be read.
  explicit Courier(CourierOptions options);
  ~Courier();

  /// What others must know to reach this peer; a Member's address.
  const std::string& address() const;
  /// `host:port` of each listener.
  std::vector<std::string> listens() const;
  /// Whether the Unix socket still has its name. Somebody may have removed it.
  bool has_socket_file() const;
  /// Listens on the Unix socket anew. Throws conch::Error, and then goes on as it was.
  void listen_again();

  /// A new life: all channels begin anew. Clients stay.
  void live_as(const Life& self);
  /// Where a life is. One that was forgotten is not known again. Empty if only it can tell: what is
  /// sent to it waits until it calls.
  void know(const Life& life, const std::string& address);
  /// Drops the channels from and to it, for good: should it connect again, it finds its channel
  /// broken.
  void forget(const Life& life);
  /// Asks who is at this `host:port`; ends in `contacted`, and is tried until then. It may be
  /// oneself. A name is looked up here and now, whenever it is dialed.
  void contact(const std::string& address);

  /// To a life whose address is known, by `know` or because it has connected to us; else nothing,
  /// and false.
  bool send(const Life& to, std::string_view payload);
  /// With descriptors that come along, at most `Socket::descriptors_max`.
  void send(ClientId client, std::string_view payload, std::vector<Descriptor> enclosed = {});
  /// Disconnects it after what was sent.
  void dismiss(ClientId client);
  /// It has a descriptor that is kept for other peers: it may look, and should not stay.
  bool is_surplus(ClientId client) const;
  /// None for one that has gone.
  ClientProcess process_of(ClientId client) const;
  /// Writes what was sent since the last time, as far as the sockets take it.
  void flush();

  /// Readable when `wait` would not wait.
  int descriptor() const;
  /// Until something has happened, somebody pokes, or this time has come on the steady clock.
  Readiness wait(Time until) const;
  void poke() const;
  /// Reads, writes, accepts, dials, acknowledges.
  void work(const Readiness& ready, Time now, Recipient& recipient);
  /// When `work` has something to do even if nothing happens.
  Time wakes() const;

  /// Whether it is on this machine, and reached without TCP; as far as is known yet.
  bool is_local(const Life& life) const;
  /// The protocol version agreed with this life; 0 if there was no connection yet.
  std::uint32_t version_with(const Life& life) const;
  /// The bytes that it has not acknowledged.
  std::size_t backlog(const Life& life) const;
  /// For how long each life has left something unacknowledged, of those that do.
  std::vector<std::pair<Life, Duration>> unacknowledged(Time now) const;

  using Counts = wire::Channels::Counts;
  const Counts& counts() const;

 private:
  class Post;
  std::unique_ptr<Post> post_;
};

/// What the steady clock shows, as everything in a peer counts time.
Time steady_now();

/// What somebody says of itself who is asked by a stranger.
struct Acquaintance {
  Life life;
  std::string algorithm;
  std::string address;
  /// The version of its Conch.
  std::string software = {};
};

/// Asks who is at an address, and waits for the answer. `folder`: where Unix sockets are, with a
/// slash at the end; if empty, where the address says. Throws conch::Error, also when it is told to
/// give up.
Acquaintance ask_who(const std::string& address, const std::string& group, const Tls& tls,
                     Duration patience, const std::string& folder = {},
                     const std::stop_token& give_up = {});

/// A peer has answered, and will not have us: it says why.
class Refused : public Error {
 public:
  using Error::Error;
};

/// A client's side of its connection to a peer of this machine. Used by one thread at a time.
class ClientLink {
 public:
  /// Throws conch::Error: nobody listens there, or answers by then; Refused: it is of another
  /// group, or serves too many; Untrusted: another user listens there, or could.
  ClientLink(const std::string& socket, const std::string& group, Time until);
  /// By when a living peer has long answered.
  ClientLink(const std::string& socket, const std::string& group);
  ~ClientLink();
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;

  void send(std::string_view payload);
  /// Nothing if none came in time. Throws conch::Error when the peer has gone.
  std::optional<std::string> receive(std::optional<Time> until = std::nullopt);
  /// What has come along since the last time.
  std::vector<Descriptor> take_enclosed();
  int descriptor() const;
  /// The protocol version agreed with the peer.
  std::uint32_t version() const;

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

}  // namespace conch::net
