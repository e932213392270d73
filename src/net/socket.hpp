// A connected stream, in the clear or under TLS, that does not block unless it is told to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/descriptor.hpp"
#include "net/tls.hpp"

namespace conch::net {

class Socket {
 public:
  Socket() = default;
  explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  bool is_open() const { return static_cast<bool>(descriptor_); }
  int number() const { return descriptor_.number(); }
  void close();

  /// From here on under TLS, once `secure` has moved.
  void begin_tls(std::unique_ptr<TlsSession> session) { tls_ = std::move(session); }
  bool is_secured() const { return tls_ != nullptr; }
  Transfer secure() { return tls_->shake_hands(); }
  /// Whether `secure` could not go on because the other side does not read.
  bool wants_to_write() const { return tls_ && tls_->wants_to_write(); }

  Transfer receive(char* into, std::size_t bytes);
  Transfer send(std::string_view bytes);

  /// From here on it blocks before it says `later`, for so long at most; not under TLS.
  void block_for(Duration patience);

  // Of a Unix socket.

  /// The descriptor goes with the first of the bytes that are taken, and stays the caller's.
  Transfer send(std::string_view bytes, int descriptor);
  /// A descriptor that comes with these bytes is put into `passed`, unless there is one already:
  /// then it is closed, as is every one that comes with bytes which the other `receive` reads.
  Transfer receive(char* into, std::size_t bytes, Descriptor& passed);

 private:
  Descriptor descriptor_;
  std::unique_ptr<TlsSession> tls_;
  bool blocks_ = false;
};

}  // namespace conch::net
