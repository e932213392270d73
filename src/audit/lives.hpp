// Who speaks in traces, and which message went from whom to whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/docket.hpp"

namespace conch::audit {

enum class LifeId : std::uint32_t {};

/// Finds by any kind of string.
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
    unknown,  // somebody has spoken of it
    alive,
    killed,  // its trace stops
    gone,    // its trace ends
  } state = State::unknown;
  /// Not everything that it did is in its trace.
  bool is_patchy = false;
  Place begin = {};
  Place last = {};
  /// Whose times can be compared with its: those of one number.
  std::size_t clock = 0;

  /// Of messages from another one to this one.
  struct Channel {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    Place sent_at;
    Place received_at;
  };
  std::unordered_map<LifeId, Channel> from = {};
};

class Lives {
 public:
  LifeId find(std::string_view id, std::string_view life) {
    key_.assign(id).append(".").append(life);
    return find_key(key_);
  }
  /// `id.life`.
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
