// A connection, and a peer channel: a life at the other end, with up to two connections.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>

#include "wire/back_off.hpp"
#include "wire/client.hpp"
#include "wire/frame.hpp"
#include "wire/handshake.hpp"
#include "wire/incoming.hpp"
#include "wire/outgoing.hpp"

namespace conch::wire {

/// The number of a connection. A peer never uses one again.
using Serial = std::uint64_t;

/// Bytes that wait until the connection takes them.
class Backlog {
 public:
  std::string& bytes() { return bytes_; }
  std::size_t size() const { return bytes_.size() - written_; }
  /// Something goes along with the message that is added next.
  void enclose() { enclosed_.push_back(bytes_.size()); }

  /// What can be written at once: bytes up to the next message that something goes along with.
  std::string_view unwritten() const {
    std::string_view rest = std::string_view(bytes_).substr(written_);
    for (std::size_t place : enclosed_)
      if (place > written_) return rest.substr(0, place - written_);
    return rest;
  }
  /// Something goes along with the first unwritten byte.
  bool encloses() const { return !enclosed_.empty() && enclosed_.front() == written_; }
  void wrote(std::size_t bytes) {
    if (bytes > 0 && encloses()) enclosed_.pop_front();
    written_ += bytes;
    if (written_ < bytes_.size()) return;
    bytes_.clear();
    written_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t written_ = 0;
  std::deque<std::size_t> enclosed_;
};

struct Connection;

/// When to dial a peer again that could not be reached.
struct Redial {
  unsigned failures = 0;
  /// How many ways have failed. A way that has worked is taken again.
  unsigned dead_ends = 0;
  Time not_before{};

  void lost(Time now, Duration longest = longest_silence) {
    not_before = now + back_off(++failures, longest);
  }
  void failed(Time now, Duration longest = longest_silence) {
    ++dead_ends;
    lost(now, longest);
  }
};

/// A life with which there is a channel in either direction.
struct PeerChannel {
  PeerInstance life;
  Outgoing outgoing;
  Incoming incoming = {};
  /// Empty if it is not known.
  std::string address = {};
  /// The connection that we have opened, and the one that the other side has opened.
  Connection* to = nullptr;
  Connection* from = nullptr;
  /// Our payloads go over the connection that the other side opened, because there was no other.
  bool sends_back = false;
  /// The connection of its last payload, where it expects our acknowledgements.
  Connection* inlet = nullptr;
  Redial redial = {};
  /// The protocol version agreed on the last connection; 0 if there was none.
  std::uint32_t version = 0;
  /// The other side is known to have accepted our channel; we have accepted its channel.
  bool accepted_us = false;
  bool was_accepted = false;
  /// Since when it has acknowledged nothing of what it was sent.
  Time waits_since{};
  /// Something was sent since the last flush.
  bool dirty = false;
  /// Nothing can be sent to it any more.
  bool broken = false;

  /// The connection for our payloads, which may not be open yet.
  Connection* outlet() const { return sends_back ? from : to; }
  bool wants_connection() const {
    return !outlet() && !broken && !address.empty() && !outgoing.empty();
  }
};

/// An unknown peer at a known address.
struct Contact {
  std::string address;
  Connection* connection = nullptr;
  Redial redial = {};
};

// The purposes of connections.

/// It was accepted, and has not said what it is for.
struct Unknown {};
/// Our payloads go out over it.
struct Sending {
  PeerChannel* to;
};
/// The other side's payloads come in over it.
struct Receiving {
  PeerChannel* from;
};
/// We ask which life is there.
struct Asking {
  Contact* whom;
};
struct Serving {
  ClientId client;
  bool dirty = false;
};
/// It is closed once it has taken what was written.
struct Leaving {};

using Purpose = std::variant<Unknown, Sending, Receiving, Asking, Serving, Leaving>;

enum class ConnectionStage : std::uint8_t { connecting, greeting, open, closed };

/// How many descriptors were left when a connection came. Ample: enough for all connections.
/// Scarce: only for other peers, and for clients that do not stay. None: the last ones are kept for
/// the register.
enum class Room : std::uint8_t { ample, scarce, none };

struct Connection {
  Serial serial = 0;
  Route route{};
  /// For the log.
  std::string whom;
  bool dialed = false;
  Purpose purpose;
  ConnectionStage stage = ConnectionStage::greeting;
  Room room = Room::ample;
  /// The end of the handshake, or of leaving, at the latest.
  Time deadline = Time::max();
  /// The deadline was extended once, because this process may have been stopped when it passed.
  bool has_more_time = false;
  /// The protocol version agreed in the handshake.
  std::uint32_t version = 0;
  FrameReader reader = {};
  /// Everything except payloads, which wait in their channel.
  Backlog backlog = {};
  bool waits_to_write = false;
  /// The peer that we dialed has refused us.
  bool was_refused = false;

  bool is_open() const { return stage == ConnectionStage::open; }
  bool is_closed() const { return stage == ConnectionStage::closed; }
  /// The life whose payloads go over this connection; null if there is none.
  PeerChannel* channel() {
    if (auto* sending = as<Sending>()) return sending->to;
    if (auto* receiving = as<Receiving>()) return receiving->from;
    return nullptr;
  }
  template <class P>
  P* as() {
    return std::get_if<P>(&purpose);
  }
};

}  // namespace conch::wire
