// The socket of a stream, and what is said over it: notes, each a length of 32 bits, so many bytes
// and zeroes up to a multiple of 64; and between them bytes without any frame, of which both sides
// know how many there are.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "net/socket.hpp"
#include "net/stream.hpp"
#include "wire/handshake.hpp"
#include "wire/limits.hpp"

namespace conch::net {

class Stream::Line {
 public:
  /// After the handshake. A TLS session keeps what it needs of its context.
  Line(Socket socket, wire::Route route, std::string whom,
       Duration patience = wire::stream_silence_max);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  bool is_local() const { return route_ == wire::Route::local; }

  void say(std::string_view note);
  void say(std::string_view note, int descriptor);
  Note hear();
  void send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void abort();

 private:
  void begin();
  std::string framed(std::string_view note);
  void send(std::string_view bytes);
  std::string hear_beginning(Descriptor& passed);
  void check_length(std::size_t bytes);
  /// How much has moved; none if that has to be awaited.
  std::size_t bytes_of(const Transfer& transfer);
  enum class Patience : std::uint8_t { some, endless };
  void await(short events, Patience patience = Patience::some);
  [[noreturn]] void fail(const std::string& why);

  Socket socket_;
  const wire::Route route_;
  const std::string whom_;
  const Duration patience_;
  /// Nobody knows where in the bytes a stream is that has failed.
  bool has_failed_ = false;
  /// When something has moved; or since when that is awaited.
  Time moved_at_{};
  std::atomic<bool> aborted_ = false;
  /// Who aborts has done so before the socket is closed.
  std::mutex end_;
};

}  // namespace conch::net
