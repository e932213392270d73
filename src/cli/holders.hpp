// Describes the holders of a lock in words: "8407ed on node1 (pid 5555, make deploy, for 12 s)".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cli/peer_line.hpp"

namespace conch::cli {

/// How long the members have to say who holds a lock, when somebody waits for the answer.
inline constexpr std::chrono::milliseconds holders_patience{300};

/// All who hold it, as far as they have said so; empty if none has.
std::string holders_text(const node::Claims& claims, const std::string& lock);
/// The end of a sentence: "it is held by ...", or why that is not known.
std::string why_not_free(const node::Claims& claims, const std::string& lock);
/// Asks the peer at the other end, which is asked nothing else meanwhile. Never fails.
std::string why_not_free(PeerLine& line, const std::string& lock);

/// "ada", or "1000" if that user has no name here.
std::string user_text(std::uint32_t user, const std::string& host);
/// "1.6 s", "12 s", "3 min".
std::string age_text(Duration age);

/// Tells whom one waits for, while one waits: soon, and whenever it is somebody else, but at most
/// once a second.
class HolderWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `connect` is called when there is something to ask, and may throw Error. Without `log` nothing
  /// is asked.
  HolderWatch(std::string lock, std::function<std::optional<PeerLine>()> connect,
              std::function<void(std::string_view line)> log);

  /// Readable when there is an answer; -1: none is awaited.
  int descriptor() const { return asked_ ? line_->descriptor() : -1; }
  /// When to ask again, if at all.
  std::optional<Clock::time_point> due() const { return due_; }
  /// Reads what has come, and asks if it is time; does not wait, but to connect.
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
  /// The holder that was named last, without the time it has held the lock.
  std::string named_;
};

}  // namespace conch::cli
