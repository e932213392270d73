// A connection between two peers for large amounts of data, besides the channel of their messages,
// so that a transfer of any size delays no message.
//
// Calls block. One thread at a time uses a stream, but any thread may call `abort`. All calls throw
// conch::Error if the other side has gone, was silent for too long, or broke the protocol.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/peer_instance.hpp"
#include "core/versions.hpp"
#include "net/clock.hpp"
#include "net/descriptor.hpp"
#include "net/tls.hpp"

namespace conch::net {

/// The dialing peer.
struct StreamOptions {
  PeerInstance self;
  std::string group;
  std::string algorithm;
  Tls tls;
  bool tcp_only = false;
  /// The folder of its own Unix socket; see LocalHost.
  std::string folder = {};
  Versions speaks = spoken;
};

class Stream {
 public:
  class Connection;

  /// Connects to this life at its Member's address. Throws conch::Error.
  Stream(const StreamOptions& options, const PeerInstance& to, const std::string& address,
         Time until);
  /// For code that accepts streams.
  explicit Stream(std::unique_ptr<Connection> connection);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  /// Whether both ends are on one machine, so that descriptors can be passed.
  bool is_local() const;

  /// Sends a small message of at most wire::stream_note_bytes_max bytes.
  void say(std::string_view note);
  /// Sends a descriptor along, which stays the caller's. Only over a local stream.
  void say(std::string_view note, int descriptor);
  /// The next message, and the descriptor that came with it, if any.
  struct Message {
    std::string text;
    Descriptor descriptor;
  };
  Message hear();

  /// These update `moved`, the number of bytes done, as they go.
  void send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved);

  /// Makes the current and all later calls fail. Any thread may call it.
  void abort();

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace conch::net
