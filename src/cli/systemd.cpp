#include "cli/systemd.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <conch/error.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/peer_log.hpp"

namespace conch::cli {

namespace {

/// How long a message may wait for systemd to read.
constexpr timeval notify_patience{5, 0};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last && !text.empty() ? std::optional(number)
                                                              : std::nullopt;
}

std::uint64_t expect_number(std::string_view variable, std::string_view text) {
  if (auto number = whole_number(text)) return *number;
  throw Error(std::string(variable) + " is not a number: \"" + std::string(text) + "\"");
}

std::optional<std::string> take_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string copy = value;
  ::unsetenv(name);
  return copy;
}

const char* c_text(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

}  // namespace

NotifyAddress notify_address(std::string_view text) {
  NotifyAddress found;
  bool is_abstract = text.starts_with('@');
  if (!is_abstract && !text.starts_with('/'))
    throw Error("NOTIFY_SOCKET is neither an absolute path nor @ and a name: \"" +
                std::string(text) + "\"");
  // A path needs a zero byte at its end. The name of an abstract socket begins with one, and its
  // length is given by the size.
  std::size_t room = sizeof found.address.sun_path - (is_abstract ? 0 : 1);
  if (text.size() > room || text.size() == 1)
    throw Error("NOTIFY_SOCKET is not a socket address: \"" + std::string(text) + "\"");
  found.address.sun_family = AF_UNIX;
  std::copy(text.begin(), text.end(), found.address.sun_path);
  if (is_abstract) found.address.sun_path[0] = '\0';
  found.size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (is_abstract ? 0 : 1));
  return found;
}

std::optional<Duration> watchdog_of(const char* microseconds, const char* process, pid_t self) {
  if (microseconds == nullptr) return std::nullopt;
  if (process != nullptr &&
      expect_number("WATCHDOG_PID", process) != static_cast<std::uint64_t>(self))
    return std::nullopt;
  std::uint64_t count = expect_number("WATCHDOG_USEC", microseconds);
  constexpr auto longest = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::hours(24 * 365)).count());
  if (count == 0) return std::nullopt;
  return std::chrono::microseconds(std::min(count, longest));
}

Systemd::Systemd(Complain complain) : complain_(std::move(complain)) {
  std::optional<std::string> socket = take_variable("NOTIFY_SOCKET");
  std::optional<std::string> microseconds = take_variable("WATCHDOG_USEC");
  std::optional<std::string> process = take_variable("WATCHDOG_PID");
  if (!socket) return;
  try {
    address_ = notify_address(*socket);
    watchdog_ = watchdog_of(c_text(microseconds), c_text(process), ::getpid());
    socket_ = net::Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket_) throw Error(std::strerror(errno));
  } catch (const Error& error) {
    complain_(std::string("cannot notify systemd: ") + error.what());
    return;
  }
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &notify_patience, sizeof notify_patience);
}

void Systemd::ready(std::string_view status) {
  send("READY=1\nSTATUS=" + one_line(status), Waits::yes);
}

void Systemd::stopping(std::string_view status) {
  send("STOPPING=1\nSTATUS=" + one_line(status), Waits::yes);
}

void Systemd::status(std::string_view status) { send("STATUS=" + one_line(status), Waits::no); }

void Systemd::beat() { send("WATCHDOG=1", Waits::no); }

void Systemd::send(const std::string& text, Waits waits) {
  if (!socket_) return;
  int flags = MSG_NOSIGNAL | (waits == Waits::yes ? 0 : MSG_DONTWAIT);
  ssize_t sent = 0;
  do {
    sent = ::sendto(socket_.number(), text.data(), text.size(), flags,
                    reinterpret_cast<const sockaddr*>(&address_.address), address_.size);
  } while (sent < 0 && errno == EINTR);
  // A beat that finds the queue full is followed by another; only messages that may wait are
  // reported.
  if (sent < 0 && waits == Waits::yes)
    complain_("cannot notify systemd of " + text.substr(0, text.find('\n')) + ": " +
              std::strerror(errno));
}

}  // namespace conch::cli
