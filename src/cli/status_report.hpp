// What a group says of itself, put together; and as JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "node/talk.hpp"

namespace conch::cli {

/// Who has a lock and who waits for it, put together from what all peers say.
struct LockStatus {
  struct Part {
    NodeId member;
    bool reads = false;
    Duration since{};
    std::uint64_t in_line = 0;
  };
  std::uint64_t fence = 0;
  std::optional<NodeId> token;
  std::vector<Part> holders;
  /// Who has waited longest first.
  std::vector<Part> waiters;
};

std::map<std::string, LockStatus> locks_of(const node::Status& status);

/// Nothing if it has not answered.
const node::StatusPart* part_of(const node::Status& status, const recovery::Member& member);
std::string lease_text(const node::Status& status, const recovery::Member& member);
std::string seconds_text(Duration duration);

/// A member, and how it is if it has answered.
nlohmann::ordered_json member_status(const node::Status& status, const recovery::Member& member);

/// As `conch status --json` and `GET /status` show it.
std::string json_text(const node::Status& status, const node::Claims& claims);

}  // namespace conch::cli
