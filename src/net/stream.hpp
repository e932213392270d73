// A connection of two peers besides the channel of their messages, for large amounts of bytes: a
// transfer of any size delays no message.
//
// Its calls block. It is used by one thread at a time, except `abort`, which any may call. All
// throw conch::Error when the other side has gone, was silent for too long, or is not understood.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/clock.hpp"
#include "net/descriptor.hpp"
#include "net/tls.hpp"
#include "recovery/view.hpp"

namespace conch::net {

using recovery::Life;

/// Who dials, and how.
struct StreamOptions {
  Life self;
  std::string group;
  std::string algorithm;
  Tls tls;
  bool tcp_only = false;
  /// Where its own Unix socket is; see Here.
  std::string folder = {};
};

class Stream {
 public:
  class Line;

  /// To this life at its Member's address. Throws conch::Error.
  Stream(const StreamOptions& options, const Life& to, const std::string& address, Time until);
  /// For who makes streams.
  explicit Stream(std::unique_ptr<Line> line);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  /// Both ends are on one machine, and descriptors can be passed.
  bool is_local() const;

  /// A small message: wire::stream_note_bytes_max at most.
  void say(std::string_view note);
  /// With a descriptor, which stays the caller's. Only over a local stream.
  void say(std::string_view note, int descriptor);
  /// The next message, and the descriptor that came with it, if any.
  struct Note {
    std::string text;
    Descriptor descriptor;
  };
  Note hear();

  /// `moved` is set to how much has been done, again and again.
  void send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved);

  /// From any thread: whatever it does ends with an error.
  void abort();

 private:
  std::unique_ptr<Line> line_;
};

}  // namespace conch::net
