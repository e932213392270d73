// The messages of a data stream between two peers. One asks and the other answers; then the next
// question may follow.
//
// FETCH          GONE, or HERE; and with it the memory itself; or the bytes, then SOUND
// KEEP memory    KEPT or DECLINED; or with all bytes, if they are few
// KEEP           DECLINED, or GO; then the bytes, then KEPT
// PATCH          DECLINED, or GO; then the bytes, then KEPT or DECLINED
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/types.hpp"

namespace conch::node {

/// From a holder of the lock: send me these bytes of this version.
struct FetchData {
  std::string lock;
  std::uint64_t version = 0;
  Range range;
  CONCH_FIELDS(FetchData, lock, version, range)
};
struct GoneData {
  CONCH_FIELDS(GoneData)
};
/// The data end at `size`. The memory comes along, or the bytes of the range follow.
struct HereData {
  std::uint64_t size = 0;
  bool torn = false;
  bool attached = false;
  CONCH_FIELDS(HereData, size, torn, attached)
};
/// Whether the bytes were still that version when the last of them was sent.
struct SoundData {
  bool sound = false;
  CONCH_FIELDS(SoundData, sound)
};

/// From a holder of the lock, or from a peer that leaves: keep these data, too.
struct KeepData {
  std::string lock;
  DataRef data;
  /// The sender leaves: answer for these data. A receiver that leaves as well declines at first. If
  /// all have declined the sender insists, and the one with the larger identifier stays longer.
  bool inherit = false;
  bool insist = false;
  bool attached = false;
  /// All of the bytes. If empty, the memory is attached or the bytes follow.
  std::string enclosed = {};
  CONCH_FIELDS(KeepData, lock, data, inherit, insist, attached, enclosed)
};
/// From a holder of the lock, which has changed this part of the version that you keep: make it the
/// new version.
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
