#include "watch/feed.hpp"

#include <utility>

#include "net/clock.hpp"

namespace conch::watch {

using Kind = watch::Note::Kind;

watch::Note* Feed::note(Kind kind, std::string_view lock) {
  if (frequent_ >= notes_max) return ++notes_.left_out, nullptr;
  ++frequent_;
  notes_.taken.push_back({.kind = kind, .at = net::steady_now(), .lock = std::string(lock)});
  return &notes_.taken.back();
}

void Feed::note_rare(watch::Note note) {
  if (notes_.taken.size() - frequent_ >= rare_max) return void(++notes_.left_out);
  notes_.taken.push_back(std::move(note));
}

void Feed::born(const PeerInstance&) { note_rare({.kind = Kind::born, .at = net::steady_now()}); }
void Feed::installed(Epoch epoch, const recovery::View& view) { note_rare(epoch_of(epoch, view)); }
void Feed::suspected(const PeerInstance& life) { note_rare(suspicion_of(life)); }
void Feed::gone() { note_rare({.kind = Kind::gone, .at = net::steady_now()}); }
void Feed::lost(std::string_view lock, Mode mode, Duration held) {
  note_rare(loss_of(lock, mode, held));
}

void Feed::asked(std::string_view lock, Mode mode) {
  if (auto* taken = note(Kind::request, lock)) taken->mode = mode;
}

void Feed::entered(std::string_view lock, const Entry& entry) {
  auto* taken = note(Kind::enter, lock);
  if (!taken) return;
  taken->mode = entry.mode;
  taken->fence = entry.fence;
  taken->lasted = entry.waited;
}

void Feed::withdrew(std::string_view lock, Mode mode) {
  if (auto* taken = note(Kind::withdrawn, lock)) taken->mode = mode;
}

void Feed::left(std::string_view lock, Mode mode, Duration held) {
  auto* taken = note(Kind::exit, lock);
  if (!taken) return;
  taken->mode = mode;
  taken->lasted = held;
}

void Feed::sent(const PeerInstance& to, const MessageNote& message) {
  note_token(Kind::went, to, message);
}

void Feed::received(const PeerInstance& from, const MessageNote& message) {
  note_token(Kind::came, from, message);
}

/// TOKEN and GRANT are the types of messages that hand a lock over. Permission-based algorithms
/// have none.
void Feed::note_token(Kind kind, const PeerInstance& other, const MessageNote& message) {
  if (message.lock.empty() || (message.type != "TOKEN" && message.type != "GRANT")) return;
  if (auto* taken = note(kind, message.lock)) taken->other = other.id;
}

Feed::Notes Feed::take() {
  frequent_ = 0;
  return std::exchange(notes_, {});
}

}  // namespace conch::watch
