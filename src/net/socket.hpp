// A connected stream socket, plain or under TLS. It does not block unless `block_for` was called.
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

enum class Awaited : std::uint8_t { ready, interrupted, late };

class Socket {
 public:
  Socket() = default;
  explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  bool is_open() const { return static_cast<bool>(descriptor_); }
  int number() const { return descriptor_.number(); }
  void close();

  /// Starts TLS. Bytes can be sent once `secure` has returned `moved`.
  void begin_tls(std::unique_ptr<TlsSession> session) { tls_ = std::move(session); }
  bool is_secured() const { return tls_ != nullptr; }
  IoResult secure() { return tls_->shake_hands(); }
  /// Whether `secure` could not go on because the other side does not read.
  bool wants_to_write() const { return tls_ && tls_->wants_to_write(); }

  IoResult receive(char* into, std::size_t bytes);
  IoResult send(std::string_view bytes);

  /// Waits until it is worth trying again to receive (POLLIN) or to send (POLLOUT). A TLS session
  /// may have to write before it can read, and the other way round: then it waits for that. Ends
  /// early if `interrupt` becomes readable.
  Awaited await(short events, Time until, int interrupt = -1) const;

  /// From now on, calls block for at most this long before they return `later`. Has no effect under
  /// TLS.
  void block_for(Duration patience);

  // These calls are for Unix sockets.

  /// How many descriptors may go with one message.
  static constexpr std::size_t descriptors_max = 4;

  /// The descriptors travel with the first byte that is taken. They stay the caller's.
  IoResult send(std::string_view bytes, std::span<const int> descriptors);
  /// Appends the descriptors that come with these bytes to `passed`, up to descriptors_max in
  /// total, and closes the rest. The other `receive` closes all of them.
  IoResult receive(char* into, std::size_t bytes, std::vector<Descriptor>& passed);
  /// The same for a single descriptor.
  IoResult receive(char* into, std::size_t bytes, Descriptor& passed);

 private:
  Descriptor descriptor_;
  std::unique_ptr<TlsSession> tls_;
  bool blocks_ = false;
};

}  // namespace conch::net
