// What two peers say over a stream: one asks, the other answers, and then the next may ask.
//
//   FETCH          GONE, or HERE; and with it the memory itself; or the bytes, then SOUND
//   KEEP memory    KEPT or DECLINED; or with all bytes, if they are few
//   KEEP           DECLINED, or GO; then the bytes, then KEPT
//   PATCH          DECLINED, or GO; then the bytes, then KEPT or DECLINED
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/types.hpp"

namespace conch::node {

/// I hold the lock: send me these bytes of this version.
struct FetchData {
  std::string lock;
  std::uint64_t version = 0;
  Range range;
  CONCH_FIELDS(FetchData, lock, version, range)
};
struct GoneData {
  CONCH_FIELDS(GoneData)
};
/// The data end at `size`. The memory comes with this, or the bytes of the range follow.
struct HereData {
  std::uint64_t size = 0;
  bool torn = false;
  bool attached = false;
  CONCH_FIELDS(HereData, size, torn, attached)
};
/// Whether those bytes were what was asked for until the last of them was sent.
struct SoundData {
  bool sound = false;
  CONCH_FIELDS(SoundData, sound)
};

/// I hold the lock, or leave the group: keep these data, too.
struct KeepData {
  std::string lock;
  DataRef data;
  /// I leave: answer for them. One who leaves, too, declines; but if all have declined I insist,
  /// and the one with the larger identifier stays longer.
  bool inherit = false;
  bool insist = false;
  bool attached = false;
  /// All of them, or they follow.
  std::string enclosed = {};
  CONCH_FIELDS(KeepData, lock, data, inherit, insist, attached, enclosed)
};
/// I hold the lock and have changed this part of the version that you keep: call it by this name.
struct PatchData {
  std::string lock;
  std::uint64_t version = 0;
  DataRef data;
  Range range;
  CONCH_FIELDS(PatchData, lock, version, data, range)
};
struct GoOn {
  CONCH_FIELDS(GoOn)
};
struct KeptData {
  CONCH_FIELDS(KeptData)
};
struct DeclinedData {
  CONCH_FIELDS(DeclinedData)
};

using DataQuestion = std::variant<FetchData, KeepData, PatchData>;
using DataAnswer = std::variant<GoneData, HereData, SoundData, GoOn, KeptData, DeclinedData>;

}  // namespace conch::node
