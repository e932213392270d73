// The socket of a stream and its protocol. A note is a 32-bit length, that many bytes, and zeroes
// up to a multiple of 64 bytes. Between notes there are raw bytes without a frame; both sides know
// how many.
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

class Stream::Connection {
 public:
  /// Takes the socket after the handshake. A TLS session keeps what it needs of its context.
  Connection(Socket socket, wire::Route route, std::string whom,
             Duration patience = wire::stream_silence_max);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_local() const { return route_ == wire::Route::local; }

  void say(std::string_view note);
  void say(std::string_view note, int descriptor);
  Message hear();
  void send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved);
  void abort();

 private:
  void begin();
  std::string framed(std::string_view note);
  void send(std::string_view bytes);
  std::string hear_beginning(Descriptor& passed);
  void check_length(std::size_t bytes);
  /// The number of bytes that moved; 0 if the caller has to wait. Throws on failure.
  std::size_t bytes_of(const IoResult& transfer);
  enum class Patience : std::uint8_t { some, endless };
  void await(short events, Patience patience = Patience::some);
  [[noreturn]] void fail(const std::string& why);

  Socket socket_;
  const wire::Route route_;
  const std::string whom_;
  const Duration patience_;
  /// After a failure nobody knows the position in the stream, so it cannot be used any more.
  bool has_failed_ = false;
  /// When bytes moved last, or when the current call began.
  Time moved_at_{};
  std::atomic<bool> aborted_ = false;
  /// Keeps `abort` from using a socket that the destructor has closed.
  std::mutex end_;
};

}  // namespace conch::net
