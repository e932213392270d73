// One thing that has happened at a peer, for its page.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "recovery/view.hpp"

namespace conch::watch {

struct Note {
  enum class Kind : std::uint8_t {
    born,
    epoch,
    suspicion,
    gone,
    request,
    enter,
    withdrawn,
    exit,
    lost,
    came,  // the token, from another peer
    went,
  };

  Kind kind;
  Time at{};
  std::string lock = {};
  /// At the other end, or suspected.
  NodeId other = {};
  Mode mode = Mode::write;
  Fence fence = {};
  /// It has waited, or held the lock, for so long.
  Duration lasted{};
  Epoch epoch = {};
  std::vector<NodeId> members = {};
};

Note suspicion_of(const recovery::Life& life);
Note epoch_of(Epoch epoch, const recovery::View& view);
Note loss_of(std::string_view lock, Mode mode, Duration held);

std::string_view word(Note::Kind kind);

/// `at` becomes milliseconds of the calendar's clock.
nlohmann::ordered_json json_of(const Note& note, Time now);
std::int64_t wall_ms(Time at, Time now);
/// Whatever bytes the names in it have.
std::string line_of(const nlohmann::ordered_json& json);

}  // namespace conch::watch
