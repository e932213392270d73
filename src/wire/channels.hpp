// The channels of a peer. They deliver payloads to other lives, each once and in order, over
// connections that come and go. Everything about them is decided here, down to the bytes. The peer
// that ships has sockets below (net/sockets.hpp); `conch survive` has connections that break after
// any byte.
//
// Two lives have a channel in each direction. A life with something to send opens a connection, and
// the other side sends back over it, unless it has opened one itself meanwhile. The sender keeps
// what was not acknowledged, and sends it again on the next connection, from where the receiver's
// handshake says that it stopped. A channel keeps a bounded amount. Beyond that it is broken for
// good, and the recipient is told `broken`.
//
// The parts are: channels.cpp, requests; channels_connections.cpp, how connections come and go and
// what they bring; channels_handshake.cpp, how they begin.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wire/connection.hpp"
#include "wire/line_rate.hpp"

namespace conch::wire {

/// The other end of a connection that was accepted or dialed.
struct Caller {
  Serial serial = 0;
  Route route{};
  /// For the log.
  std::string whom;
  /// False if bytes cannot go over it yet; then `connected` or `ended` follows.
  bool is_connected = true;
  /// For a Unix socket: whether the other process has the same user as this one.
  bool is_own_user = true;
  Room room = Room::ample;
};

/// Makes connections. None of its calls calls the channels back before it returns.
class Network {
 public:
  virtual ~Network() = default;

  struct Dialed {
    /// The serial number is 0 if there is no connection.
    Caller caller;
    std::string error = {};
  };
  /// Begins a connection. If the address has several ways, each attempt takes the next one.
  virtual Dialed dial(const std::string& address, unsigned attempt) = 0;

  struct Taken {
    std::size_t bytes = 0;
    bool has_ended = false;
    /// Empty if the other side has hung up.
    std::string why = {};
  };
  /// Takes as much as there is room for; if that is not all, `writable` follows once there is more
  /// room. If `encloses`, what belongs to the bytes goes along with the first of them.
  virtual Taken write(Serial serial, std::string_view bytes, bool encloses) = 0;
  /// Bytes that were taken before still arrive, if they can.
  virtual void close(Serial serial) = 0;
  /// This life has opened a stream. The connection no longer belongs to the channels.
  virtual void hand_over(const Connection& connection, const PeerInstance& from) = 0;
  virtual void log(const std::string& line) = 0;
};

/// Is told what has come. Within a call it may make requests of the channels, but not report events
/// to them.
class Recipient {
 public:
  virtual ~Recipient() = default;
  virtual void delivered(const PeerInstance& from, std::string_view payload, Time now) = 0;
  /// The peer that was contacted at this address is this life.
  virtual void contacted(const std::string& address, const PeerInstance& life, Time now) = 0;
  /// Nothing more can reach this life: its channel is full, or it has forgotten what it had
  /// received.
  virtual void broken(const PeerInstance& life, const std::string& why, Time now) = 0;
  virtual void client_came(ClientId client) = 0;
  virtual void client_said(ClientId client, std::string_view payload, Time now) = 0;
  /// Once for each client that came: it has hung up, or was dismissed.
  virtual void client_left(ClientId client, Time now) = 0;
};

class Channels {
 public:
  struct Options {
    Identity identity;
    /// The address at which others reach this peer.
    std::string address;
    /// How many bytes of one channel may be unacknowledged.
    std::size_t kept_bytes_max = std::size_t{64} << 20;
  };
  struct Counts {
    std::uint64_t frames_sent = 0, frames_received = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;
    std::uint64_t connections_refused = 0;
  };

  /// Throws conch::Error if the names are too long for a handshake.
  Channels(Options options, Network& network, Recipient& recipient);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  // Requests.

  /// Begins a new life, with new channels. Clients stay.
  void live_as(const PeerInstance& self, Time now);
  /// Tells where a life is. If `address` is empty, only that life can dial, and what is sent to it
  /// waits until then. Not for a life that was forgotten: it would find its channel broken.
  void know(const PeerInstance& life, const std::string& address);
  /// Drops the channels from and to this life for good. If it connects again, it finds its channel
  /// broken.
  void forget(const PeerInstance& life);
  /// Asks which life is at this address, and tries until `contacted` tells. It may be this peer.
  void contact(const std::string& address);

  /// False, and nothing is sent, unless the life is known by `know` or has connected to us.
  bool send(const PeerInstance& to, std::string_view payload);
  /// If `encloses`, the network sends along what it was given for this client.
  void send(ClientId client, std::string_view payload, bool encloses);
  /// Disconnects the client after it has got what was sent.
  void dismiss(ClientId client);
  /// Writes what was sent since the last call, as far as the connections take it.
  void flush(Time now);

  /// The network is gone: from here on nothing is sent, and nobody is told anything.
  void abandon();

  // Events.

  void accepted(const Caller& caller, Time now);
  void connected(Serial serial, Time now);
  void writable(Serial serial, Time now);
  void brought(Serial serial, std::string_view bytes, Time now);
  /// `why` is empty if the other side has hung up.
  void ended(Serial serial, const std::string& why, Time now);
  /// Does what is due, and tells the recipient its news.
  void tick(Time now);
  /// When `tick` has something to do if nothing else happens.
  Time wakes() const { return news_.empty() ? due_ : at_once; }

  // Queries.

  /// The client came when descriptors were scarce: it may ask questions, but should not stay.
  bool is_surplus(ClientId client) const;
  /// Whether the life is on this machine and is reached without TCP, as far as is known.
  bool is_local(const PeerInstance& life) const;
  /// The protocol version agreed with this life; 0 before the first connection.
  std::uint32_t version_with(const PeerInstance& life) const;
  /// How many bytes this life has not acknowledged.
  std::size_t backlog(const PeerInstance& life) const;
  /// The lives that have left something unacknowledged, and for how long.
  std::vector<std::pair<PeerInstance, Duration>> unacknowledged(Time now) const;
  const Counts& counts() const { return counts_; }
  std::size_t connections() const { return connections_.size(); }

  /// Logs what outsiders can cause as often as they like. Most lines that repeat a fact are left
  /// out.
  void complain(const std::string& line, const std::string& fact, Time now);

 private:
  // News for the recipient, told at the next `tick` because any call may produce them.
  struct Broken {
    PeerInstance life;
    std::string why;
  };
  struct Left {
    ClientId client;
  };
  using News = std::variant<Broken, Left>;

  static constexpr Time at_once{};
  /// The payload waits for the next flush, which sets the time.
  static constexpr Time next_flush = Time::max();

  // channels.cpp
  PeerChannel* find(const PeerInstance& life);
  const PeerChannel* find(const PeerInstance& life) const;
  PeerChannel& channel(const PeerInstance& life);
  Connection* find_client(ClientId client);
  void hang_up(PeerChannel& channel);
  void break_channel(PeerChannel& channel, const std::string& why);
  void report(News news) { news_.push_back(std::move(news)); }
  void wake_by(Time time) { due_ = std::min(due_, time); }
  void complain(const std::string& what, const Connection& about, const std::string& why);
  void keep_time();
  void keep_time_of(PeerChannel& channel);
  void keep_time_of(Contact& contact);

  // channels_connections.cpp
  Connection* find(Serial serial);
  const Connection* find(Serial serial) const;
  Connection& enroll(Connection connection);
  void dial(PeerChannel& to);
  void dial(Contact& whom);
  Connection* dial(const std::string& address, Redial& redial, Purpose purpose);
  void close(Connection& connection);
  void release(Connection& connection);
  void part(Connection& connection, const std::string& why);
  void leave(Connection& connection);
  void drop(Connection& connection, const std::string& why);
  void refuse(Connection& connection, const std::string& why);
  bool write(Connection& connection);
  bool write_backlog(Connection& connection);
  bool write_payloads(Connection& connection, Outgoing& outgoing);
  bool take_up(Connection& connection, const Network::Taken& taken);
  void take(Connection& connection, const Frame& frame);
  void take_payload(Connection& connection, PeerChannel& from, const Frame& frame);
  void take_acknowledgement(Connection& connection, PeerChannel& to, const Frame& frame);
  void acknowledge(PeerChannel& channel);

  // channels_handshake.cpp
  void greet(Connection& connection);
  Hello hello_for(const Connection& connection) const;
  void take_hello(Connection& connection, const Frame& frame);
  void take_peer(Connection& connection, const Hello& hello);
  bool may_send_back(PeerChannel& to, const Hello& hello);
  void take_client(Connection& connection);
  void turn_away(Connection& connection, Role role);
  void take_stream(Connection& connection, const PeerInstance& from);
  void answer(Connection& connection, bool known = false, std::uint64_t received = 0);
  void take_answer(Connection& connection, const Frame& frame);
  void begin_sending(Connection& connection, PeerChannel& to, const HelloAccepted& accepted);
  bool resume(PeerChannel& to, bool known, std::uint64_t received);
  void open(Connection& connection);

  Options options_;
  Network& network_;
  Recipient& recipient_;

  std::map<Serial, std::unique_ptr<Connection>> connections_;
  /// Closed connections, kept as long as a caller on the stack may refer to them.
  std::vector<std::unique_ptr<Connection>> closed_;
  /// Connections that were accepted and have not said who they are, the oldest first.
  std::set<Serial> half_open_;
  std::size_t clients_ = 0;
  /// Where lives are, as far as is known; empty for one that only can dial.
  std::map<PeerInstance, std::string> addresses_;
  /// The lives with which there has been something to say.
  std::map<PeerInstance, PeerChannel> channels_;
  std::map<std::string, Contact> contacts_;
  std::vector<PeerChannel*> dirty_;
  std::vector<Serial> dirty_clients_;

  /// The time of the last call.
  Time now_{};
  Time last_tick_{};
  std::vector<News> news_;
  /// When `tick` has something to do.
  Time due_ = Time::max();
  LineRate complaints_;
  Counts counts_;
};

}  // namespace conch::wire
