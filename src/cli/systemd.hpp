// Tells systemd that the service is ready, what its status is, that it is alive, and that it is
// about to end; see sd_notify(3).
//
// It does so by hand, because the protocol is one text datagram to a Unix socket, which systemd
// promises to keep. libsystemd would bring three compression libraries and libgcrypt into every
// peer.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "node/observer.hpp"
#include "register/directory.hpp"

namespace conch::cli {

/// The address in $NOTIFY_SOCKET: an absolute path, or `@name` for an abstract socket.
struct NotifyAddress {
  sockaddr_un address{};
  socklen_t size = 0;
};

/// Throws Error if the text is not an address.
NotifyAddress notify_address(std::string_view text);

/// How long systemd waits for the next beat of this process, from the values of $WATCHDOG_USEC and
/// $WATCHDOG_PID, each of which may be null. Empty if it does not wait. Throws Error if a value is
/// no number.
std::optional<Duration> watchdog_of(const char* microseconds, const char* process, pid_t self);

/// Thread-safe.
class Systemd {
 public:
  using Complain = std::function<void(const std::string& line)>;

  /// Removes the variables from the environment, so that no child speaks for this process. If
  /// systemd does not listen or cannot be reached, every call does nothing.
  explicit Systemd(Complain complain);

  std::optional<Duration> watchdog() const { return watchdog_; }

  void ready(std::string_view status);
  void stopping(std::string_view status);
  /// Never block, so they suit callers that must not wait; a message may be dropped.
  void status(std::string_view status);
  void beat();

 private:
  enum class Waits : bool { no, yes };
  void send(const std::string& text, Waits waits);

  Complain complain_;
  net::Descriptor socket_;
  NotifyAddress address_;
  std::optional<Duration> watchdog_;
};

/// Updates the text that `systemctl status` shows: whether the peer is in its group.
class StatusForSystemd final : public node::Observer {
 public:
  StatusForSystemd(Systemd& systemd, std::string in_group)
      : systemd_(systemd), in_group_(std::move(in_group)) {}

  const std::string& in_group() const { return in_group_; }

  void born(const PeerInstance&) override {
    systemd_.status("was removed from its group, and rejoins it");
  }
  void admitted() override { systemd_.status(in_group_); }

 private:
  Systemd& systemd_;
  std::string in_group_;
};

}  // namespace conch::cli
