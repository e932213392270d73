// The lives that occur in traces, and the messages between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/trace_report.hpp"

namespace conch::audit {

enum class LifeId : std::uint32_t {};

/// Hashes any kind of string, so lookups need no copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

struct Life {
  /// As `conch status` shows it.
  std::string id;
  enum class State : std::uint8_t {
    unknown,  // only mentioned by others so far
    alive,
    killed,  // its trace stops without an end
    gone,    // its trace has an end
  } state = State::unknown;
  /// Its trace does not contain everything that it did.
  bool is_patchy = false;
  TracePosition begin = {};
  TracePosition last = {};
  /// Times of lives with the same clock number can be compared.
  std::size_t clock = 0;

  /// Messages from one other life to this one.
  struct Channel {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    TracePosition sent_at;
    TracePosition received_at;
  };
  std::unordered_map<LifeId, Channel> from = {};
};

class Lives {
 public:
  LifeId find(std::string_view id, std::string_view life) {
    key_.assign(id).append(".").append(life);
    return find_key(key_);
  }
  /// `key` is `id.life`.
  LifeId find_key(std::string_view key) {
    auto found = ids_.find(key);
    if (found != ids_.end()) return found->second;
    auto id = static_cast<LifeId>(lives_.size());
    ids_.emplace(key, id);
    lives_.push_back({std::string(key.substr(0, key.rfind('.')))});
    return id;
  }
  Life& operator[](LifeId id) { return lives_[static_cast<std::size_t>(id)]; }
  const Life& operator[](LifeId id) const { return lives_[static_cast<std::size_t>(id)]; }
  const std::vector<Life>& all() const { return lives_; }

 private:
  std::string key_;
  std::unordered_map<std::string, LifeId, TextHash, std::equal_to<>> ids_;
  std::vector<Life> lives_;
};

}  // namespace conch::audit
