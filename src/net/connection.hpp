// One connection, and one life at the other end of two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "net/back_off.hpp"
#include "net/courier.hpp"
#include "net/poller.hpp"
#include "net/socket.hpp"
#include "wire/frame.hpp"
#include "wire/handshake.hpp"
#include "wire/incoming.hpp"
#include "wire/outgoing.hpp"

namespace conch::net {

/// Bytes that wait for a socket to take them.
class Backlog {
 public:
  std::string& bytes() { return bytes_; }
  std::size_t size() const { return bytes_.size() - written_; }
  /// These go with the next byte that is added.
  void enclose(std::vector<Descriptor> descriptors) {
    enclosed_.push_back({bytes_.size(), std::move(descriptors)});
  }

  /// What can be written at once: up to where other descriptors go with it.
  std::string_view unwritten() const {
    std::string_view rest = std::string_view(bytes_).substr(written_);
    for (const Enclosed& each : enclosed_)
      if (each.place > written_) return rest.substr(0, each.place - written_);
    return rest;
  }
  /// What goes with it.
  std::vector<int> descriptors() const {
    std::vector<int> numbers;
    if (enclosed_.empty() || enclosed_.front().place != written_) return numbers;
    for (const Descriptor& each : enclosed_.front().descriptors) numbers.push_back(each.number());
    return numbers;
  }
  void wrote(std::size_t bytes) {
    if (bytes > 0 && !enclosed_.empty() && enclosed_.front().place == written_)
      enclosed_.erase(enclosed_.begin());
    written_ += bytes;
    if (written_ < bytes_.size()) return;
    bytes_.clear();
    written_ = 0;
  }

 private:
  struct Enclosed {
    std::size_t place;
    std::vector<Descriptor> descriptors;
  };

  std::string bytes_;
  std::size_t written_ = 0;
  std::vector<Enclosed> enclosed_;
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
  wire::Outgoing outgoing;
  wire::Incoming incoming = {};
  /// Empty: not known.
  std::string address = {};
  /// The one that we have opened, and the one that it has.
  Connection* to = nullptr;
  Connection* from = nullptr;
  /// Our payloads go over the one that it has opened: there was no other when it came.
  bool sends_back = false;
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
  /// What its payloads come over, and our acknowledgements go.
  Connection* inlet() const { return from ? from : to; }
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

enum class Stage : std::uint8_t { connecting, securing, greeting, open };

struct Connection {
  Serial serial = 0;
  Socket socket;
  wire::Route route{};
  /// For the log.
  std::string whom;
  bool dialed = false;
  Purpose purpose;
  Stage stage = Stage::greeting;
  /// Of the protocol, as agreed with who has dialed.
  std::uint32_t version = 0;
  /// When it has to be open, or closed.
  Time deadline = Time::max();
  wire::FrameReader reader = {};
  /// Everything but payloads: those wait in their channel.
  Backlog backlog = {};
  bool waits_to_write = false;
  /// By whom we have dialed.
  bool was_refused = false;

  bool is_open() const { return socket.is_open() && stage == Stage::open; }
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

}  // namespace conch::net
