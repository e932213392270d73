// One connection, and one life at the other end of two.
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

/// Of a connection of a peer; none has that of an earlier one.
using Serial = std::uint64_t;

/// Bytes that wait for a connection to take them.
class Backlog {
 public:
  std::string& bytes() { return bytes_; }
  std::size_t size() const { return bytes_.size() - written_; }
  /// What is added next is a message that something goes with.
  void enclose() { enclosed_.push_back(bytes_.size()); }

  /// What can be written at once: up to where something else goes with it.
  std::string_view unwritten() const {
    std::string_view rest = std::string_view(bytes_).substr(written_);
    for (std::size_t place : enclosed_)
      if (place > written_) return rest.substr(0, place - written_);
    return rest;
  }
  /// Something goes with the first of it.
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

/// When to dial somebody who could not be reached.
struct Redial {
  unsigned failures = 0;
  /// How many ways have led nowhere: one that has worked is taken again.
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

/// Somebody with whom there is a channel in either direction.
struct Correspondent {
  Life life;
  Outgoing outgoing;
  Incoming incoming = {};
  /// Empty: not known.
  std::string address = {};
  /// The one that we have opened, and the one that it has.
  Connection* to = nullptr;
  Connection* from = nullptr;
  /// Our payloads go over the one that it has opened: there was no other when it came.
  bool sends_back = false;
  /// What its payloads came over last: there it looks for our acknowledgements.
  Connection* inlet = nullptr;
  Redial redial = {};
  /// The protocol version agreed on the last connection; 0 if there was none.
  std::uint32_t version = 0;
  /// It is certain that it has heard of our payloads; we are ready for its.
  bool accepted_us = false;
  bool was_accepted = false;
  /// Since when it has acknowledged nothing, while there was something.
  Time waits_since{};
  /// Something was sent since the last flush.
  bool dirty = false;
  /// Nothing goes out to it any more.
  bool broken = false;

  /// What our payloads go over, perhaps not yet.
  Connection* outlet() const { return sends_back ? from : to; }
  bool wants_connection() const {
    return !outlet() && !broken && !address.empty() && !outgoing.empty();
  }
};

/// Somebody unknown at a known address.
struct Contact {
  std::string address;
  Connection* connection = nullptr;
  Redial redial = {};
};

// What a connection is for.

/// It was accepted, and has not said so yet.
struct Unknown {};
/// We send payloads.
struct Sending {
  Correspondent* to;
};
/// We receive payloads.
struct Receiving {
  Correspondent* from;
};
/// We ask who is there.
struct Asking {
  Contact* whom;
};
struct Serving {
  ClientId client;
  bool dirty = false;
};
/// It is closed when it has taken what was written last.
struct Leaving {};

using Purpose = std::variant<Unknown, Sending, Receiving, Asking, Serving, Leaving>;

enum class Stage : std::uint8_t { connecting, greeting, open, closed };

/// How many descriptors were left when somebody came: for anybody; for other peers, and whoever
/// only looks; for nobody, because the last ones are kept for the register.
enum class Room : std::uint8_t { ample, scarce, none };

struct Connection {
  Serial serial = 0;
  Route route{};
  /// For the log.
  std::string whom;
  bool dialed = false;
  Purpose purpose;
  Stage stage = Stage::greeting;
  Room room = Room::ample;
  /// When it has to be open, or closed.
  Time deadline = Time::max();
  /// Perhaps it was not its fault that the deadline has passed; but once is enough.
  bool has_more_time = false;
  /// Of the protocol, as agreed with who has dialed.
  std::uint32_t version = 0;
  FrameReader reader = {};
  /// Everything but payloads: those wait in their channel.
  Backlog backlog = {};
  bool waits_to_write = false;
  /// By whom we have dialed.
  bool was_refused = false;

  bool is_open() const { return stage == Stage::open; }
  bool is_closed() const { return stage == Stage::closed; }
  /// With whom it is, if payloads go over it.
  Correspondent* correspondent() {
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
