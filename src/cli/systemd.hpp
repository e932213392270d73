// What a service tells systemd: that it is ready, how it is, that its loop still turns, that it is
// about to end; sd_notify(3).
//
// By hand, because the protocol is one datagram of text to a Unix socket, which systemd promises to
// keep, while libsystemd would bring three compression libraries and libgcrypt into every peer.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "node/witness.hpp"
#include "register/directory.hpp"

namespace conch::cli {

/// An address as $NOTIFY_SOCKET has it: an absolute path, or `@name` for an abstract socket.
struct NotifyAddress {
  sockaddr_un address{};
  socklen_t size = 0;
};

/// Throws Error unless it is one.
NotifyAddress notify_address(std::string_view text);

/// How long systemd waits for the next beat of this process, by the values of $WATCHDOG_USEC and
/// $WATCHDOG_PID, either of which may be null; nothing if it does not wait. Throws Error if a value
/// is no number.
std::optional<Duration> watchdog_of(const char* microseconds, const char* process, pid_t self);

/// Safe to be used by several threads at once.
class Systemd {
 public:
  using Complain = std::function<void(const std::string& line)>;

  /// Takes the variables out of the environment, so that no child speaks for this process. If
  /// nobody wants to hear anything, or cannot be told, every call does nothing.
  explicit Systemd(Complain complain);

  std::optional<Duration> watchdog() const { return watchdog_; }

  void ready(std::string_view status);
  void stopping(std::string_view status);
  /// As soon as it is sent, and never waits: also for callers who must not block.
  void status(std::string_view status);
  void beat();

 private:
  enum class Waits : bool { no, yes };
  void send(const std::string& text, Waits waits);

  Complain complain_;
  file::Descriptor socket_;
  NotifyAddress address_;
  std::optional<Duration> watchdog_;
};

/// Keeps the status true that `systemctl status` shows: whether the peer is in its group.
class StatusForSystemd final : public node::Witness {
 public:
  StatusForSystemd(Systemd& systemd, std::string in_group)
      : systemd_(systemd), in_group_(std::move(in_group)) {}

  const std::string& in_group() const { return in_group_; }

  void born(const recovery::Life&) override {
    systemd_.status("was put out of its group, and joins it again");
  }
  void admitted() override { systemd_.status(in_group_); }

 private:
  Systemd& systemd_;
  std::string in_group_;
};

}  // namespace conch::cli
