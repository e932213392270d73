// Describes the holders of a lock in words: "8407ed on node1 (pid 5555, make deploy, for 12 s)".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cli/peer_line.hpp"

namespace conch::cli {

/// How long the members have to say who holds a lock while a user waits for the answer.
inline constexpr std::chrono::milliseconds holders_patience{300};

/// Names all known holders; empty if there are none.
std::string holders_text(const node::Claims& claims, const std::string& lock);
/// The end of a sentence: "it is held by ...", or why the holder is not known.
std::string why_not_free(const node::Claims& claims, const std::string& lock);
/// Asks the peer over this connection, on which nothing else may be pending. Does not throw Error.
std::string why_not_free(PeerLine& line, const std::string& lock);

/// "ada", or "1000" if that user has no name here.
std::string user_text(std::uint32_t user, const std::string& host);
/// "1.6 s", "12 s", "30 min", "12 h".
std::string age_text(Duration age);

/// Logs who holds a lock while we wait for it: soon after the start, and whenever the holder
/// changes, at most once a second.
class HolderWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Calls `connect` when it first asks; that may throw Error. Without `log` it does nothing.
  HolderWatch(std::string lock, std::function<std::optional<PeerLine>()> connect,
              std::function<void(std::string_view line)> log);

  /// Becomes readable when an answer arrives; -1 if none is pending.
  int descriptor() const { return asked_ ? line_->descriptor() : -1; }
  /// When to ask again, if at all.
  std::optional<Clock::time_point> due() const { return due_; }
  /// Reads an answer that has arrived, and asks again if it is time. Only connecting may block.
  void look();

 private:
  void hear();
  void ask();

  std::string lock_;
  std::function<std::optional<PeerLine>()> connect_;
  std::function<void(std::string_view line)> log_;
  std::optional<PeerLine> line_;
  bool asked_ = false;
  std::optional<Clock::time_point> due_;
  /// The holders logged last, without how long they have held the lock.
  std::string named_;
};

}  // namespace conch::cli
