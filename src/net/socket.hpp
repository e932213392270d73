// A connected stream, in the clear or under TLS, that does not block unless it is told to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
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

  /// How many go with one message.
  static constexpr std::size_t descriptors_max = 4;

  /// The descriptors go with the first of the bytes that are taken, and stay the caller's.
  Transfer send(std::string_view bytes, std::span<const int> descriptors);
  /// Descriptors that come with these bytes are added to `passed`, as long as those are not too
  /// many: then they are closed, as are all that come with bytes which the first `receive` reads.
  Transfer receive(char* into, std::size_t bytes, std::vector<Descriptor>& passed);
  /// The same for one.
  Transfer receive(char* into, std::size_t bytes, Descriptor& passed);

 private:
  Descriptor descriptor_;
  std::unique_ptr<TlsSession> tls_;
  bool blocks_ = false;
};

}  // namespace conch::net
