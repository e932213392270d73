#include "watch/note.hpp"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/print.hpp"
#include "net/clock.hpp"

namespace conch::watch {

namespace {

constexpr std::size_t members_max = 512;

std::string hexadecimal(NodeId id) { return fmt::format("{:x}", id.value); }

std::string fence_text(Fence fence) {
  std::string text;
  print_to(text, fence);
  return text;
}

}  // namespace

Note suspicion_of(const PeerInstance& life) {
  return {.kind = Note::Kind::suspicion, .at = net::steady_now(), .other = life.id};
}

Note epoch_of(Epoch epoch, const recovery::View& view) {
  Note note{.kind = Note::Kind::epoch, .at = net::steady_now(), .epoch = epoch};
  for (const recovery::Member& member : view.roster)
    if (note.members.size() < members_max) note.members.push_back(member.id);
  return note;
}

Note loss_of(std::string_view lock, Mode mode, Duration held) {
  return {.kind = Note::Kind::lost,
          .at = net::steady_now(),
          .lock = std::string(lock),
          .mode = mode,
          .lasted = held};
}

std::string_view word(Note::Kind kind) {
  switch (kind) {
    case Note::Kind::born: return "born";
    case Note::Kind::epoch: return "epoch";
    case Note::Kind::suspicion: return "suspicion";
    case Note::Kind::gone: return "gone";
    case Note::Kind::request: return "request";
    case Note::Kind::enter: return "enter";
    case Note::Kind::withdrawn: return "withdrawn";
    case Note::Kind::exit: return "exit";
    case Note::Kind::lost: return "lost";
    case Note::Kind::came: return "came";
    case Note::Kind::went: return "went";
  }
  return "";
}

std::int64_t wall_ms(Time at, Time now) {
  using std::chrono::milliseconds;
  auto wall = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(wall - (now - at)).count();
}

nlohmann::ordered_json json_of(const Note& note, Time now) {
  nlohmann::ordered_json json{{"at", wall_ms(note.at, now)}, {"event", word(note.kind)}};
  if (!note.lock.empty()) json["lock"] = note.lock;
  if (note.other != NodeId{}) json["peer"] = hexadecimal(note.other);
  if (note.mode == Mode::read) json["shared"] = true;
  if (note.fence != Fence{}) json["fence"] = fence_text(note.fence);
  if (note.lasted > Duration::zero()) json["lasted_s"] = seconds_of(note.lasted);
  if (note.kind != Note::Kind::epoch) return json;
  json["epoch"] = note.epoch.value;
  json["members"] = nlohmann::ordered_json::array();
  for (NodeId id : note.members) json["members"].push_back(hexadecimal(id));
  return json;
}

std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace conch::watch
