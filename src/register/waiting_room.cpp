#include "register/waiting_room.hpp"

#include <algorithm>
#include <string>

#include "core/encode.hpp"
#include "register/process.hpp"

namespace conch::file {

using recovery::Newcomer;
using recovery::View;
using recovery::Waiting;

namespace {

constexpr const char* joining = "joining";
constexpr const char* leaving = "leaving";
constexpr std::size_t newcomer_bytes_max = 4096;
/// More join or leave with the next view.
constexpr std::size_t crowd_max = 1000;

}  // namespace

void WaitingRoom::put(const char* folder, const PeerInstance& life, std::string_view bytes) {
  root_.make_directory(folder);
  root_.rename(work_.write(bytes, false), inside(folder, name_of_life(life)));
}

void WaitingRoom::enter(const Newcomer& newcomer) {
  std::string bytes;
  encode(bytes, newcomer);
  put(joining, newcomer.member.life(), bytes);
}

void WaitingRoom::enter_to_leave(const PeerInstance& member) { put(leaving, member, {}); }

std::vector<PeerInstance> WaitingRoom::lives_in(const char* folder) const {
  std::vector<PeerInstance> lives;
  for (const std::string& name : root_.list(folder).value_or(std::vector<std::string>{}))
    if (auto life = life_named(name)) lives.push_back(*life);
  std::sort(lives.begin(), lives.end());
  return lives;
}

/// Empty if it has left the room meanwhile, or if another release wrote what this one cannot read.
std::optional<Newcomer> WaitingRoom::newcomer(const PeerInstance& life) const {
  auto bytes = root_.read(inside(joining, name_of_life(life)), newcomer_bytes_max);
  if (!bytes) return std::nullopt;
  Newcomer found;
  Decoder decoder(*bytes);
  bool is_sound = decoder.decode(found) && decoder.finish() && found.member.life() == life;
  return is_sound ? std::optional(std::move(found)) : std::nullopt;
}

/// Only the first reads about the others.
Waiting WaitingRoom::look(const View& view, const PeerInstance& asker) const {
  Waiting waiting;
  bool leaves = view.roster.contains(asker);
  for (const PeerInstance& life : lives_in(leaves ? leaving : joining)) {
    bool counts = life != asker && view.roster.contains(life) == leaves && is_alive_(life);
    if (!counts) continue;
    if (life < asker) return {.is_behind = true};
    if (leaves) {
      waiting.leavers.push_back(life);
    } else if (auto found = newcomer(life)) {
      waiting.newcomers.push_back(std::move(*found));
    }
    if (waiting.leavers.size() + waiting.newcomers.size() == crowd_max) break;
  }
  return waiting;
}

void WaitingRoom::sweep(const View& newest) {
  for (const char* folder : {joining, leaving}) {
    bool leaves = folder == leaving;
    for (const PeerInstance& life : lives_in(folder)) {
      bool waits = newest.roster.contains(life) == leaves && is_alive_(life);
      if (!waits) root_.remove(inside(folder, name_of_life(life)));
    }
  }
}

}  // namespace conch::file
