// A connection for somebody who has nothing else to do than wait for it: a stranger who asks, a
// client.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/conversations.hpp"
#include "net/descriptor.hpp"
#include "net/socket.hpp"
#include "wire/address.hpp"
#include "wire/frame.hpp"
#include "wire/handshake.hpp"

namespace conch::net {

/// Something that a poll sees when the token's owner wants no more.
class Interruption {
 public:
  explicit Interruption(const std::stop_token& token);
  /// Readable from then on; -1, which a poll ignores, if that cannot be.
  int descriptor() const { return bell_.number(); }

 private:
  Descriptor bell_;
  std::stop_callback<std::function<void()>> on_stop_;
};

class Conversation {
 public:
  /// Connects, says hello and is accepted, all before this time. Throws conch::Error; Refused if
  /// the other side does not accept.
  Conversation(const wire::Way& way, const wire::Hello& hello, const Tls& tls, Time until,
               const std::stop_token& give_up = {});

  const wire::Accepted& accepted() const { return accepted_; }
  int descriptor() const { return socket_.number(); }
  /// What has come along with frames, in the clear, since the last time.
  std::vector<Descriptor> take_enclosed() { return std::exchange(enclosed_, {}); }
  /// It ends here, after the greeting: nothing that came behind the answer has been read.
  Socket take_socket() { return std::move(socket_); }

  void say(std::string_view bytes, std::optional<Time> until);
  /// The next frame, until the next call; nothing if none came in time.
  std::optional<wire::Frame> hear(std::optional<Time> until);

 private:
  void connect(const wire::Way& way, const Tls& tls, Time until);
  void secure(const Tls& tls, Time until);
  void greet(const wire::Hello& hello, Time until);
  bool await(short events, std::optional<Time> until) const;
  std::string complaint(const std::string& why) const;
  [[noreturn]] void fail(const std::string& why) const;

  std::string whom_;
  Interruption interruption_;
  std::unique_ptr<TlsContext> tls_;
  Socket socket_;
  wire::FrameReader reader_;
  std::unique_ptr<char[]> buffer_;
  std::vector<Descriptor> enclosed_;
  bool is_greeting_ = true;
  wire::Accepted accepted_;
  bool socket_is_tcp_ = false;
};

}  // namespace conch::net
