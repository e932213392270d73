#include "node/trace_writer.hpp"

#include "core/print.hpp"
#include "node/names.hpp"

namespace conch::node {

using trace::Happening;
using trace::Line;

namespace {

std::string id_of(const PeerInstance& life) { return in_hex(life.id.value); }

std::string_view wish(Mode mode) { return mode == Mode::read ? word(mode) : std::string_view(); }

}  // namespace

std::string TraceWriter::life_of(const PeerInstance& life) {
  return in_hex(static_cast<std::uint64_t>(life.incarnation));
}

void TraceWriter::born(const PeerInstance& life) {
  if (id_.empty()) id_ = id_of(life);  // All lives have the same id.
  counts_.clear();
  std::string incarnation = life_of(life);
  std::string of = clock();
  Line begins = line(Happening::join);
  begins.life = incarnation;
  begins.detail = of;
  write(begins);
}

void TraceWriter::installed(Epoch epoch, const recovery::View& view) {
  std::string members;
  for (const recovery::Member& member : view.roster)
    members += (members.empty() ? "" : " ") + id_of(member.life()) + "." + life_of(member.life());
  Line begins = line(Happening::epoch);
  begins.epoch = epoch.value;
  begins.members = members;
  write(begins);
}

void TraceWriter::suspected(const PeerInstance& life) {
  std::string id = id_of(life);
  std::string incarnation = life_of(life);
  Line suspicion = line(Happening::suspect);
  suspicion.peer = id;
  suspicion.life = incarnation;
  write(suspicion);
}

void TraceWriter::asked(std::string_view lock, Mode mode) {
  write_claim(Happening::request, lock, wish(mode));
}

void TraceWriter::entered(std::string_view lock, const Entry& entry) {
  detail_ = "fence ";
  print_to(detail_, entry.fence);
  if (entry.mode == Mode::read) detail_ += ", read";
  write_claim(Happening::enter, lock, detail_);
}

void TraceWriter::withdrew(std::string_view lock, Mode mode) {
  write_claim(Happening::withdrawn, lock, wish(mode));
}

void TraceWriter::left(std::string_view lock, Mode mode, Duration) {
  write_claim(Happening::exit, lock, wish(mode));
}

void TraceWriter::lost(std::string_view lock, Mode mode, Duration) {
  write_claim(Happening::lost, lock, wish(mode));
}

/// Messages in a gap of the trace are counted, so that those after it keep their numbers.
void TraceWriter::sent(const PeerInstance& to, const MessageNote& note) {
  MessageCounts& other = counts_of_peer(to);
  Line message = line(Happening::send);
  message.number = ++other.sent;
  write_message(message, other, note);
}

void TraceWriter::received(const PeerInstance& from, const MessageNote& note) {
  MessageCounts& other = counts_of_peer(from);
  Line message = line(Happening::receive);
  message.number = ++other.received;
  write_message(message, other, note);
}

TraceWriter::MessageCounts& TraceWriter::counts_of_peer(const PeerInstance& life) {
  auto [found, is_new] = counts_.try_emplace(life);
  if (is_new) found->second = {id_of(life), life_of(life)};
  return found->second;
}

void TraceWriter::write_claim(Happening happening, std::string_view lock, std::string_view detail) {
  Line claim = line(happening);
  claim.lock = trace::escaped(lock, room_);
  claim.detail = detail;
  write(claim);
}

void TraceWriter::write_message(Line message, const MessageCounts& other, const MessageNote& note) {
  message.peer = other.id;
  message.life = other.life;
  message.lock = trace::escaped(note.lock, room_);
  message.bytes = note.bytes;
  message.detail = note.type;
  write(message);
}

}  // namespace conch::node
