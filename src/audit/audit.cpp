#include "audit/audit.hpp"

#include <algorithm>
#include <conch/error.hpp>
#include <set>

namespace conch::audit {

using oracle::Property;
using trace::Happening;
using trace::Line;

Audit::Audit(std::vector<TraceStream*> streams, TraceListener* listener)
    : streams_(std::move(streams)), listener_(listener), speakers_(streams_.size()) {
  bool simulated = false;
  for (const TraceStream* stream : streams_) {
    writers_.emplace_back(stream->has_ended() ? std::string_view() : stream->head().node);
    stream_clocks_.push_back(
        clock_of(stream->has_ended() ? std::string_view() : stream->head().detail));
    if (stream->has_ended()) continue;
    bool begins = stream->head().live && stream->head().happening == Happening::join;
    if (stream->head().live && !begins)
      throw Error(stream->name() +
                  " does not begin with a peer's \"join\": is its beginning lost?");
    simulated = simulated || !stream->head().live;
    // Known as alive from the start, so that no traced peer is taken for a stranger.
    if (begins)
      lives_[lives_.find(stream->head().node, stream->head().life)].state = Life::State::alive;
  }
  if (simulated && streams_.size() > 1) throw Error("a simulated run has one trace: give it alone");
  if (clocks_.size() > 1) checker_.has_several_clocks();
}

/// All traces that name no machine count as of the same one.
std::size_t Audit::clock_of(std::string_view name) {
  auto found = std::find_if(clocks_.begin(), clocks_.end(),
                            [&](const Clock& clock) { return clock.name == name; });
  if (found == clocks_.end()) found = clocks_.insert(found, {std::string(name)});
  return static_cast<std::size_t>(found - clocks_.begin());
}

TraceReport Audit::run() {
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) queue(stream);
  while (!turns_.empty() || !doubtful_.empty() || !parked_.empty()) {
    if (turns_.empty() && doubtful_.empty()) break_circle();
    if (turns_.empty()) {
      proceed(take_least_doubtful());
      continue;
    }
    std::size_t stream = turns_.top().stream;
    turns_.pop();
    if (!has_come(stream)) {
      parked_.push_back(stream);
    } else if (doubt(stream)) {
      doubtful_.push_back(stream);
    } else {
      proceed(stream);
    }
  }
  return conclusion();
}

void Audit::proceed(std::size_t stream) {
  take(stream);
  streams_[stream]->advance();
  queue(stream);
  if (!parked_.empty() || !doubtful_.empty()) try_again();
}

std::optional<TraceChecker::Doubt> Audit::doubt(std::size_t stream) {
  const Line& line = streams_[stream]->head();
  if (clocks_.size() < 2 || !speakers_[stream]) return std::nullopt;
  return checker_.doubt(line, speaker(stream));
}

std::size_t Audit::take_least_doubtful() {
  auto least =
      std::min_element(doubtful_.begin(), doubtful_.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(*doubt(a), streams_[a]->at()) < std::tuple(*doubt(b), streams_[b]->at());
      });
  std::size_t stream = *least;
  doubtful_.erase(least);
  return stream;
}

void Audit::queue(std::size_t stream) {
  if (!streams_[stream]->has_ended()) return turns_.push({streams_[stream]->at(), stream});
  if (speakers_[stream]) end_life(stream, Life::State::killed);
}

/// Queues parked streams whose message has now been sent or never will be, and doubtful streams
/// about which there is no doubt any more.
void Audit::try_again() {
  auto queue_if = [&](bool fine, std::size_t stream) {
    if (fine) queue(stream);
    return fine;
  };
  std::erase_if(parked_, [&](std::size_t each) { return queue_if(has_come(each), each); });
  std::erase_if(doubtful_, [&](std::size_t each) { return queue_if(!doubt(each), each); });
}

/// Every stream waits for a message that nobody has sent: reports the earliest such reception, and
/// goes on.
void Audit::break_circle() {
  auto first = std::min_element(parked_.begin(), parked_.end(), [&](std::size_t a, std::size_t b) {
    return streams_[a]->at() < streams_[b]->at();
  });
  std::size_t stream = *first;
  parked_.erase(first);
  const Line& line = streams_[stream]->head();
  LifeId from = lives_.find(line.peer, line.life);
  Life::Channel& channel = lives_[speaker(stream)].from[from];
  TracePosition sent_at = channel.sent > 0 ? channel.sent_at : lives_[from].last;
  trace_report_.report(
      {Property::addressee,
       lives_[speaker(stream)].id + " receives what " + lives_[from].id + " sends only after it",
       {{place(stream), "receives message " + std::to_string(line.number)},
        {sent_at, "had sent " + std::to_string(channel.sent)}}});
  lives_[from].is_patchy = true;  // Reported only once.
  queue(stream);
}

// Lives.

LifeId Audit::speaker(std::size_t stream) {
  const Line& line = streams_[stream]->head();
  if (!line.live) return lives_.find(line.node, "");
  return *speakers_[stream];
}

void Audit::begin_life(std::size_t stream, const Line& line) {
  LifeId who = lives_.find(line.node, line.life);
  if (speakers_[stream]) {
    checker_.inherit(who, *speakers_[stream]);
    end_life(stream, Life::State::gone);
  }
  lives_[who].state = Life::State::alive;
  lives_[who].begin = place(stream);
  lives_[who].clock = stream_clocks_[stream];
  speakers_[stream] = who;
}

/// A killed peer may still hold locks until the others have put it out.
void Audit::end_life(std::size_t stream, Life::State how) {
  LifeId who = *std::exchange(speakers_[stream], std::nullopt);
  lives_[who].state = how;
  if (how == Life::State::killed) ++trace_report_.killed;
  if (how == Life::State::gone) checker_.forget(who);
}

// Lines.

/// Whether the next line of this stream can be taken: the message that it receives was sent, or
/// never will be.
bool Audit::has_come(std::size_t stream) {
  const Line& line = streams_[stream]->head();
  bool is_numbered = line.live && line.happening == Happening::receive && line.number > 0;
  if (!is_numbered || !speakers_[stream]) return true;
  LifeId from = lives_.find(line.peer, line.life);
  if (will_be_born(from)) return false;
  if (lives_[from].state != Life::State::alive || lives_[from].is_patchy) return true;
  const Life::Channel& channel = lives_[speaker(stream)].from[from];
  bool is_next = line.number == channel.received + 1 || lives_[speaker(stream)].is_patchy;
  return channel.sent >= line.number || !is_next;  // Nothing waits for an impossible number.
}

bool Audit::will_be_born(LifeId life) const {
  if (lives_[life].state != Life::State::unknown || lives_[life].is_patchy) return false;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    bool writes = writers_[stream] == lives_[life].id && !streams_[stream]->has_ended();
    if (writes) return !speakers_[stream] || !lives_[*speakers_[stream]].is_patchy;
  }
  return false;
}

void Audit::take(std::size_t stream) {
  const Line& line = streams_[stream]->head();
  TracePosition here = place(stream);
  ++trace_report_.events;
  Clock& clock = clocks_[stream_clocks_[stream]];
  if (!clock.begin) clock.begin = line.at;
  clock.end = std::max(clock.end, line.at);
  bool begins = line.live && line.happening == Happening::join;
  bool skipped_a_birth = line.live && line.happening == Happening::gap && speakers_[stream] &&
                         *speakers_[stream] != lives_.find(line.node, line.life);
  if (begins || skipped_a_birth) begin_life(stream, line);
  if (line.live && !speakers_[stream])
    throw Error(streams_[stream]->name() + ":" + std::to_string(here.line) +
                " goes on after its peer has left");
  LifeId who = speaker(stream);
  lives_[who].last = here;
  if (line.happening == Happening::send) take_sent(line, who, here);
  if (line.happening == Happening::receive) take_received(line, who, here);
  if (line.happening == Happening::gap) {
    ++trace_report_.gaps;
    lives_[who].is_patchy = true;
  }
  try {
    checker_.hear(line, who, here);
    if (listener_ != nullptr) tell(line, who, here);
  } catch (const Error& error) {
    throw Error(streams_[stream]->name() + ":" + std::to_string(here.line) + ": " + error.what());
  }
  if (line.live && line.happening == Happening::left) end_life(stream, Life::State::gone);
}

void Audit::tell(const Line& line, LifeId who, TracePosition here) {
  std::optional<TraceListener::Message> message;
  if (line.live && line.number > 0) {
    LifeId other = lives_.find(line.peer, line.life);
    bool sends = line.happening == Happening::send;
    message = {sends ? who : other, sends ? other : who, line.number};
  }
  listener_->hear(line, here, message);
  while (violations_told_ < trace_report_.violations.size())
    listener_->hear(trace_report_.violations[violations_told_++]);
}

void Audit::take_sent(const Line& line, LifeId from, TracePosition here) {
  ++trace_report_.messages;
  if (!line.live || line.number == 0) return;
  LifeId to = lives_.find(line.peer, line.life);
  Life::Channel& channel = lives_[to].from[from];
  bool follows = line.number == channel.sent + 1 || lives_[from].is_patchy;
  if (!follows)
    trace_report_.report(
        {Property::addressee,
         lives_[from].id + " sends message " + std::to_string(line.number) + " to " +
             lives_[to].id + " after message " + std::to_string(channel.sent),
         {{here, "sends"},
          {channel.sent > 0 ? channel.sent_at : lives_[from].begin, "came before"}}});
  channel.sent = std::max(channel.sent, line.number);
  channel.sent_at = here;
}

void Audit::take_received(const Line& line, LifeId to, TracePosition here) {
  if (!line.live || line.number == 0) return;
  LifeId from = lives_.find(line.peer, line.life);
  Life::Channel& channel = lives_[to].from[from];
  bool follows = line.number == channel.received + 1 || lives_[to].is_patchy;
  if (channel.sent < line.number) {
    if (!excuse(from)) return report_unsent(channel, from, to, line.number, here);
  } else if (!follows) {
    trace_report_.report(
        {Property::addressee,
         lives_[to].id + " receives message " + std::to_string(line.number) + " of " +
             lives_[from].id + " after message " + std::to_string(channel.received),
         {{here, "receives"},
          {channel.received > 0 ? channel.received_at : lives_[to].begin, "came before"}}});
  }
  channel.received = std::max(channel.received, line.number);
  channel.received_at = here;
}

/// A peer that was killed, is not traced or could not write everything has done more than its trace
/// says. False if there is no such excuse.
bool Audit::excuse(LifeId from) {
  Life& sender = lives_[from];
  bool excused = sender.state == Life::State::unknown || sender.state == Life::State::killed ||
                 sender.is_patchy;
  if (!excused) return false;
  ++trace_report_.unseen;
  if (sender.state == Life::State::unknown) checker_.meet_stranger();
  if (!std::exchange(sender.is_patchy, true)) checker_.forget(from);
  return true;
}

void Audit::report_unsent(const Life::Channel& channel, LifeId from, LifeId to,
                          std::uint64_t number, TracePosition here) {
  TracePosition before = channel.sent > 0 ? channel.sent_at : lives_[from].last;
  trace_report_.report(
      {Property::addressee,
       lives_[to].id + " receives a message that " + lives_[from].id + " has not sent",
       {{here, "receives message " + std::to_string(number)},
        {before, "the last that it sent there was " + std::to_string(channel.sent)}}});
}

TraceReport Audit::conclusion() {
  std::set<std::string> ids;
  for (const Life& life : lives_.all()) {
    if (life.last.line == 0) {  // It wrote no line of its own.
      ++trace_report_.strangers;
    } else {
      ids.insert(life.id);
      ++trace_report_.lives;
    }
  }
  for (const Clock& clock : clocks_) {
    if (!clock.begin || clock.end - *clock.begin < trace_report_.end - trace_report_.begin)
      continue;
    trace_report_.begin = *clock.begin;
    trace_report_.end = clock.end;
  }
  trace_report_.peers = ids.size();
  trace_report_.locks = checker_.locks();
  trace_report_.epochs = checker_.epochs().size();
  for (const TraceStream* stream : streams_) trace_report_.unfinished += stream->is_unfinished();
  return std::move(trace_report_);
}

}  // namespace conch::audit
