#include "node/witness_lines.hpp"

#include "core/print.hpp"
#include "node/names.hpp"

namespace conch::node {

using recovery::Life;
using trace::Happening;
using trace::Line;

namespace {

std::string id_of(const Life& life) { return in_hex(life.id.value); }

std::string_view wish(Mode mode) { return mode == Mode::read ? word(mode) : std::string_view(); }

}  // namespace

std::string WitnessLines::life_of(const Life& life) {
  return in_hex(static_cast<std::uint64_t>(life.incarnation));
}

void WitnessLines::born(const Life& life) {
  if (id_.empty()) id_ = id_of(life);  // It keeps it in all its lives.
  correspondents_.clear();
  std::string incarnation = life_of(life);
  std::string of = clock();
  Line begins = line(Happening::join);
  begins.life = incarnation;
  begins.detail = of;
  write(begins);
}

void WitnessLines::installed(Epoch epoch, const recovery::View& view) {
  std::string members;
  for (const recovery::Member& member : view.roster)
    members += (members.empty() ? "" : " ") + id_of(member.life()) + "." + life_of(member.life());
  Line begins = line(Happening::epoch);
  begins.epoch = epoch.value;
  begins.members = members;
  write(begins);
}

void WitnessLines::suspected(const Life& life) {
  std::string id = id_of(life);
  std::string incarnation = life_of(life);
  Line suspicion = line(Happening::suspect);
  suspicion.peer = id;
  suspicion.life = incarnation;
  write(suspicion);
}

void WitnessLines::asked(std::string_view lock, Mode mode) {
  write_claim(Happening::request, lock, wish(mode));
}

void WitnessLines::entered(std::string_view lock, const Entry& entry) {
  detail_ = "fence ";
  print_to(detail_, entry.fence);
  if (entry.mode == Mode::read) detail_ += ", read";
  write_claim(Happening::enter, lock, detail_);
}

void WitnessLines::withdrew(std::string_view lock, Mode mode) {
  write_claim(Happening::withdrawn, lock, wish(mode));
}

void WitnessLines::left(std::string_view lock, Mode mode, Duration) {
  write_claim(Happening::exit, lock, wish(mode));
}

void WitnessLines::lost(std::string_view lock, Mode mode, Duration) {
  write_claim(Happening::lost, lock, wish(mode));
}

/// The numbers go on in a gap, so that what comes after it can be told apart.
void WitnessLines::sent(const Life& to, const Note& note) {
  Correspondent& other = correspondent(to);
  Line message = line(Happening::send);
  message.number = ++other.sent;
  write_message(message, other, note);
}

void WitnessLines::received(const Life& from, const Note& note) {
  Correspondent& other = correspondent(from);
  Line message = line(Happening::receive);
  message.number = ++other.received;
  write_message(message, other, note);
}

WitnessLines::Correspondent& WitnessLines::correspondent(const Life& life) {
  auto [found, is_new] = correspondents_.try_emplace(life);
  if (is_new) found->second = {id_of(life), life_of(life)};
  return found->second;
}

void WitnessLines::write_claim(Happening happening, std::string_view lock,
                               std::string_view detail) {
  Line claim = line(happening);
  claim.lock = trace::escaped(lock, room_);
  claim.detail = detail;
  write(claim);
}

void WitnessLines::write_message(Line message, const Correspondent& other, const Note& note) {
  message.peer = other.id;
  message.life = other.life;
  message.lock = trace::escaped(note.lock, room_);
  message.bytes = note.bytes;
  message.detail = note.type;
  write(message);
}

}  // namespace conch::node
