// A blocking connection to a peer, for callers that have nothing else to do: clients, and strangers
// that only ask who is there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/client_link.hpp"
#include "net/descriptor.hpp"
#include "net/socket.hpp"
#include "wire/address.hpp"
#include "wire/frame.hpp"
#include "wire/handshake.hpp"

namespace conch::net {

/// Makes a stop request visible to poll.
class StopDescriptor {
 public:
  explicit StopDescriptor(const std::stop_token& token);
  /// Becomes readable when a stop is requested; -1, which poll ignores, if that cannot happen.
  int descriptor() const { return bell_.number(); }

 private:
  Descriptor bell_;
  std::stop_callback<std::function<void()>> on_stop_;
};

class Session {
 public:
  /// Connects and completes the handshake before `until`. Throws conch::Error; RefusedError if the
  /// other side rejects the hello.
  Session(const wire::Way& way, const wire::Hello& hello, const Tls& tls, Time until,
          const std::stop_token& give_up = {});

  const wire::HelloAccepted& accepted() const { return accepted_; }
  int descriptor() const { return socket_.number(); }
  /// The descriptors that came with frames since the last call. Only without TLS.
  std::vector<Descriptor> take_enclosed() { return std::exchange(enclosed_, {}); }
  /// Ends the session after the handshake and gives the socket away: nothing behind the answer
  /// has been read from it.
  Socket take_socket() { return std::move(socket_); }

  void say(std::string_view bytes, std::optional<Time> until);
  /// The next frame, valid until the next call; nothing if none came in time.
  std::optional<wire::Frame> hear(std::optional<Time> until);

 private:
  void connect(const wire::Way& way, const Tls& tls, Time until);
  void secure(const Tls& tls, Time until);
  void greet(const wire::Hello& hello, Time until);
  bool await(short events, std::optional<Time> until) const;
  std::string complaint(const std::string& why) const;
  [[noreturn]] void fail(const std::string& why) const;

  std::string whom_;
  StopDescriptor interruption_;
  std::unique_ptr<TlsContext> tls_;
  Socket socket_;
  wire::FrameReader reader_;
  std::unique_ptr<char[]> buffer_;
  std::vector<Descriptor> enclosed_;
  bool is_greeting_ = true;
  wire::HelloAccepted accepted_;
  bool socket_is_tcp_ = false;
};

}  // namespace conch::net
