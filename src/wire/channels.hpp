// The channels of a peer: they bring payloads to other lives, each once and in order, over
// connections that come and go. What is decided about them is decided here, down to the bytes; the
// peer that ships has sockets below (net/sockets.hpp), `conch survive` connections that break after
// any byte.
//
// Two lives have a channel in each direction. Who has something to say opens a connection, and the
// other side uses it, too, unless it has opened one itself meanwhile. What was not acknowledged is
// kept and said again on the next connection, from where the receiver's handshake says it stopped.
// A channel keeps so much and no more: then it is broken for good, and its life is reported as
// `broken`.
//
// By theme: channels.cpp what they are asked for, channels_connections.cpp how connections come and
// go and what they bring, channels_handshake.cpp how they begin.
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

/// Somebody who came, or whom we have dialed.
struct Caller {
  Serial serial = 0;
  Route route{};
  /// For the log.
  std::string whom;
  /// Bytes can go over it; else `connected` says when, or `ended`.
  bool is_connected = true;
  /// Through the Unix socket: it is of the same user as this process.
  bool is_own_user = true;
  Room room = Room::ample;
};

/// What connections are made of. None of it calls the channels back before it returns.
class Network {
 public:
  virtual ~Network() = default;

  struct Dialed {
    /// Without a serial number if there is none.
    Caller caller;
    std::string error = {};
  };
  /// Begins a connection; of several ways, each attempt takes the next.
  virtual Dialed dial(const std::string& address, unsigned attempt) = 0;

  struct Taken {
    std::size_t bytes = 0;
    bool has_ended = false;
    /// Empty if it was hung up.
    std::string why = {};
  };
  /// As much as there is room for; if that is not all, `writable` tells when there is more. With
  /// the first byte may go what belongs to it.
  virtual Taken write(Serial serial, std::string_view bytes, bool encloses) = 0;
  /// What it has taken before still arrives, if it can.
  virtual void close(Serial serial) = 0;
  /// This life has opened a stream: the connection is none of the channels' from here on.
  virtual void hand_over(const Connection& connection, const Life& from) = 0;
  virtual void log(const std::string& line) = 0;
};

/// Who is told what has come. It may call the channels from within, but not say what happens.
class Recipient {
 public:
  virtual ~Recipient() = default;
  virtual void delivered(const Life& from, std::string_view payload, Time now) = 0;
  /// The one that was contacted at this address has said who it is.
  virtual void contacted(const std::string& address, const Life& life, Time now) = 0;
  /// Nothing more reaches this life: its channel is full, or it has forgotten what it had received.
  virtual void broken(const Life& life, const std::string& why, Time now) = 0;
  virtual void client_came(ClientId client) = 0;
  virtual void client_said(ClientId client, std::string_view payload, Time now) = 0;
  /// Once for each that came: it has hung up, or was dismissed.
  virtual void client_left(ClientId client, Time now) = 0;
};

class Channels {
 public:
  struct Options {
    Identity identity;
    /// Where others reach this peer.
    std::string address;
    /// Of a channel: the bytes that may be unacknowledged.
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

  // What they are asked for.

  /// A new life: all channels begin anew. Clients stay.
  void live_as(const Life& self, Time now);
  /// Where a life is. One that was forgotten is not known again. Empty if only it can tell: what is
  /// sent to it waits until it calls.
  void know(const Life& life, const std::string& address);
  /// Drops the channels from and to it, for good: should it connect again, it finds its channel
  /// broken.
  void forget(const Life& life);
  /// Asks who is at this address; ends in `contacted`, and is tried until then. It may be oneself.
  void contact(const std::string& address);

  /// To a life whose address is known, by `know` or because it has connected to us; else nothing,
  /// and false.
  bool send(const Life& to, std::string_view payload);
  /// With something that goes along, which the network has.
  void send(ClientId client, std::string_view payload, bool encloses);
  /// Disconnects it after what was sent.
  void dismiss(ClientId client);
  /// Writes what was sent since the last time, as far as the connections take it.
  void flush(Time now);

  /// There is no network any more: from here on nothing is sent, and nobody is told of anything.
  void abandon();

  // What happens.

  void accepted(const Caller& caller, Time now);
  void connected(Serial serial, Time now);
  void writable(Serial serial, Time now);
  void brought(Serial serial, std::string_view bytes, Time now);
  /// Why; empty if the other side has hung up.
  void ended(Serial serial, const std::string& why, Time now);
  /// Something may be due; and whoever has to be told of something is.
  void tick(Time now);
  /// When `tick` has something to do even if nothing happens.
  Time wakes() const { return news_.empty() ? due_ : at_once; }

  // What is known.

  /// It came when descriptors were scarce: it may look, and should not stay.
  bool is_surplus(ClientId client) const;
  /// Whether it is on this machine, and reached without TCP; as far as is known yet.
  bool is_local(const Life& life) const;
  /// The protocol version agreed with this life; 0 if there was no connection yet.
  std::uint32_t version_with(const Life& life) const;
  /// The bytes that it has not acknowledged.
  std::size_t backlog(const Life& life) const;
  /// For how long each life has left something unacknowledged, of those that do.
  std::vector<std::pair<Life, Duration>> unacknowledged(Time now) const;
  const Counts& counts() const { return counts_; }
  std::size_t connections() const { return connections_.size(); }

  /// For what anybody outside can cause as often as it likes; a line that says the same fact as an
  /// earlier one is left out, mostly.
  void complain(const std::string& line, const std::string& fact, Time now);

 private:
  // What the recipient is told at the next `tick`: these may happen in any call.
  struct Broken {
    Life life;
    std::string why;
  };
  struct Left {
    ClientId client;
  };
  using News = std::variant<Broken, Left>;

  static constexpr Time at_once{};
  /// Marks a payload that waits for the next flush, which sets the time.
  static constexpr Time next_flush = Time::max();

  // channels.cpp
  Correspondent* find(const Life& life);
  const Correspondent* find(const Life& life) const;
  Correspondent& correspondent(const Life& life);
  Connection* find_client(ClientId client);
  void hang_up(Correspondent& correspondent);
  void break_channel(Correspondent& correspondent, const std::string& why);
  void report(News news) { news_.push_back(std::move(news)); }
  void wake_by(Time time) { due_ = std::min(due_, time); }
  void complain(const std::string& what, const Connection& about, const std::string& why);
  void keep_time();
  void keep_time_of(Correspondent& correspondent);
  void keep_time_of(Contact& contact);

  // channels_connections.cpp
  Connection* find(Serial serial);
  const Connection* find(Serial serial) const;
  Connection& enroll(Connection connection);
  void dial(Correspondent& to);
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
  void take_payload(Connection& connection, Correspondent& from, const Frame& frame);
  void take_acknowledgement(Connection& connection, Correspondent& to, const Frame& frame);
  void acknowledge(Correspondent& correspondent);

  // channels_handshake.cpp
  void greet(Connection& connection);
  Hello hello_for(const Connection& connection) const;
  void take_hello(Connection& connection, const Frame& frame);
  void take_peer(Connection& connection, const Hello& hello);
  bool may_send_back(Correspondent& to, const Hello& hello);
  void take_client(Connection& connection);
  void turn_away(Connection& connection, Role role);
  void take_stream(Connection& connection, const Life& from);
  void answer(Connection& connection, bool known = false, std::uint64_t received = 0);
  void take_answer(Connection& connection, const Frame& frame);
  void begin_sending(Connection& connection, Correspondent& to, const Accepted& accepted);
  bool resume(Correspondent& to, bool known, std::uint64_t received);
  void open(Connection& connection);

  Options options_;
  Network& network_;
  Recipient& recipient_;

  std::map<Serial, std::unique_ptr<Connection>> connections_;
  /// Those that were closed, until nobody on the stack has to do with them.
  std::vector<std::unique_ptr<Connection>> closed_;
  /// Accepted and unknown, the oldest first.
  std::set<Serial> half_open_;
  std::size_t clients_ = 0;
  std::map<Life, Correspondent> correspondents_;
  std::map<std::string, Contact> contacts_;
  std::vector<Correspondent*> dirty_;
  std::vector<Serial> dirty_clients_;

  /// As it was told last.
  Time now_{};
  Time last_tick_{};
  std::vector<News> news_;
  /// When something is due.
  Time due_ = Time::max();
  LineRate complaints_;
  Counts counts_;
};

}  // namespace conch::wire
