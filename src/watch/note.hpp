// One event at a peer, for its page.
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
  /// The peer at the other end, or the suspected one.
  NodeId other = {};
  Mode mode = Mode::write;
  Fence fence = {};
  /// How long the claim waited for the lock, or held it.
  Duration lasted{};
  Epoch epoch = {};
  std::vector<NodeId> members = {};
};

Note suspicion_of(const PeerInstance& life);
Note epoch_of(Epoch epoch, const recovery::View& view);
Note loss_of(std::string_view lock, Mode mode, Duration held);

std::string_view word(Note::Kind kind);

/// `at` becomes wall-clock time, in milliseconds since 1970.
nlohmann::ordered_json json_of(const Note& note, Time now);
std::int64_t wall_ms(Time at, Time now);
/// The JSON in one line. Bytes that are not UTF-8 are replaced.
std::string line_of(const nlohmann::ordered_json& json);

}  // namespace conch::watch
