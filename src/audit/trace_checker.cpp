#include "audit/trace_checker.hpp"

#include <algorithm>
#include <charconv>
#include <conch/error.hpp>

#include "core/print.hpp"

namespace conch::audit {

using oracle::Property;
using trace::Happening;
using trace::Line;

namespace {

template <class Number>
bool take_number(std::string_view& text, Number& into) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

[[noreturn]] void refuse(const Line& line) {
  throw Error("the detail of an event \"" + std::string(word(line.happening)) +
              "\" is not what it is in a trace: \"" + std::string(line.detail) + "\"");
}

}  // namespace

std::optional<EntryDetail> parse_entry(std::string_view detail) {
  std::uint32_t epoch = 0;
  std::uint32_t count = 0;
  bool fine = take_word(detail, "fence ") && take_number(detail, epoch) && take_word(detail, ".") &&
              take_number(detail, count);
  bool reads = take_word(detail, ", read");
  if (!fine || !detail.empty()) return std::nullopt;
  return EntryDetail{Fence(Epoch{epoch}, count), reads ? Mode::read : Mode::write};
}

std::optional<Wish> parse_wish(std::string_view detail) {
  Wish wish;
  if (detail.empty()) return wish;
  if (take_word(detail, "read")) {
    wish.mode = Mode::read;
  } else if (!take_word(detail, "write")) {
    return std::nullopt;
  }
  if (detail.empty()) return wish;
  bool fine = take_word(detail, " ") && take_number(detail, wish.range.begin) &&
              take_word(detail, "..") && (detail.empty() || take_number(detail, wish.range.end));
  if (!fine || !detail.empty()) return std::nullopt;
  return wish;
}

void TraceChecker::hear(const Line& line, LifeId who, TracePosition place) {
  switch (line.happening) {
    case Happening::request: return ask(lock_of(line), line, who, place);
    case Happening::enter: return enter(lock_of(line), line, who, place);
    case Happening::lost: ++trace_report_.losses; [[fallthrough]];
    case Happening::exit: return leave(lock_of(line), line, who, place);
    case Happening::withdrawn: return withdraw(lock_of(line), line, who, place);
    case Happening::epoch: return begin_epoch(line);
    case Happening::suspect: return void(++trace_report_.suspicions);
    case Happening::left:
    case Happening::gap:
    case Happening::crash: return forget(who);
    case Happening::join: return line.live ? void() : forget(who);
    case Happening::cancel:
    case Happening::send:
    case Happening::receive:
    case Happening::lose:
    case Happening::duplicate:
    case Happening::tell:
    case Happening::told:
    case Happening::joined:
    case Happening::leave:
    case Happening::restart:
    case Happening::pause:
    case Happening::resume:
    case Happening::partition:
    case Happening::heal:
    case Happening::elect:
    case Happening::elected:
    case Happening::retire: return;
  }
}

TraceChecker::Lock& TraceChecker::lock_of(const Line& line) {
  auto found = locks_.find(line.lock);
  if (found != locks_.end()) return found->second;
  Lock& lock = locks_[std::string(line.lock)];
  lock.name = line.lock;
  return lock;
}

// Several clocks.

namespace {

bool follows(Fence fence, Fence newest) {
  return fence <= newest ||
         (fence.epoch() == newest.epoch() && fence.count() == newest.count() + 1);
}

}  // namespace

std::optional<TraceChecker::Doubt> TraceChecker::doubt(const Line& line, LifeId who) const {
  if (line.happening == Happening::epoch && !epochs_.contains(line.epoch))
    return Doubt{false, Fence(Epoch{static_cast<std::uint32_t>(line.epoch)}, 0)};
  if (line.happening != Happening::enter) return std::nullopt;
  std::optional<EntryDetail> detail = parse_entry(line.detail);
  if (!detail) return std::nullopt;  // `hear` will refuse it.
  auto found = locks_.find(line.lock);
  Fence newest(detail->fence.epoch(), 0);
  if (found != locks_.end()) {
    const Lock& lock = found->second;
    bool overlaps = std::any_of(lock.holds.begin(), lock.holds.end(), [&](const auto& each) {
      const Hold& hold = each.second;
      return hold.wish.conflicts({detail->mode, {}}) && !shares_clock(hold.who, who);
    });
    if (overlaps) return Doubt{true, detail->fence};
    if (lock.newest) newest = lock.newest->fence;
  }
  if (follows(detail->fence, newest)) return std::nullopt;
  return Doubt{false, detail->fence};
}

/// The entry is of a past epoch, and its holder is no member of the latest one, which began on
/// another machine: its hold has ended.
bool TraceChecker::is_late(const Hold& hold) const {
  return several_clocks_ && !epochs_.empty() && hold.fence.epoch().value < *epochs_.rbegin() &&
         !members_.contains(hold.who);
}

/// Whether the overlap is certain because nothing else could come before the entry. A killed holder
/// on another machine may have left unseen.
bool TraceChecker::is_certain(const Hold& inside, const Hold& hold) const {
  if (!shares_clock(inside.who, hold.who)) return lives_[inside.who].state != Life::State::killed;
  return !several_clocks_ || inside.at <= hold.at;
}

void TraceChecker::note_gap(Lock& lock, Fence fence) {
  Fence newest = lock.newest ? lock.newest->fence : Fence(fence.epoch(), 0);
  if (!several_clocks_ || follows(fence, newest)) return;
  lock.gaps.push_back({newest, fence});
  if (lock.gaps.size() <= gaps_max) return;
  lock.gaps[1].after = lock.gaps[0].after;
  lock.gaps.erase(lock.gaps.begin());
}

/// Whether it is unknown which was first: this entry, or one that was heard before it and has a
/// larger fence. If all messages are in the traces, the order is known.
bool TraceChecker::is_unordered(Lock& lock, const Hold& hold, const Hold& larger) {
  bool reads = hold.wish.mode == Mode::read;
  if (reads) return !shares_clock(hold.who, larger.who) && trace_report_.unseen > 0;
  auto found = std::find_if(lock.gaps.begin(), lock.gaps.end(), [&](const Gap& gap) {
    return gap.after < hold.fence && hold.fence < gap.before;
  });
  if (found == lock.gaps.end()) return false;
  found->after = hold.fence;
  return true;
}

// Claims.

void TraceChecker::ask(Lock& lock, const Line& line, LifeId who, TracePosition place) {
  std::optional<Wish> wish = parse_wish(line.detail);
  if (!wish) refuse(line);
  Business& business = lock.businesses[who];
  business.waiting.push_back({*wish, place});
  business.last = place;
}

/// Claims of the same mode at one peer cannot be told apart, so it takes the oldest.
Wish TraceChecker::take_claim(Lock& lock, const Line& line, const Entering& entering, LifeId who,
                              TracePosition place) {
  Business& business = lock.businesses[who];
  auto found = std::find_if(business.waiting.begin(), business.waiting.end(),
                            [&](const WaitingClaim& claim) {
                              return !line.live || claim.wish.mode == entering.wish.mode;
                            });
  if (found == business.waiting.end()) {
    const Life& life = lives_[who];
    TracePosition before = business.last.line > 0 ? business.last : life.begin;
    if (!life.is_patchy)
      report(lock, Property::invariant, life.id + " enters, but has not asked",
             {place, "enters with fence " + print(entering.fence)}, {before, "came before"});
    return entering.wish;
  }
  Wish wish = found->wish;
  business.waiting.erase(found);
  return wish;
}

void TraceChecker::enter(Lock& lock, const Line& line, LifeId who, TracePosition place) {
  std::optional<EntryDetail> detail = parse_entry(line.detail);
  if (!detail) refuse(line);
  Wish wish = take_claim(lock, line, {detail->fence, {detail->mode, {}}}, who, place);
  Hold hold{who, wish, detail->fence, place, line.at};
  ++trace_report_.entries;
  if (lock.last_inside && *lock.last_inside != who) ++trace_report_.handovers;
  lock.last_inside = who;
  lock.businesses[who].last = place;
  if (is_late(hold)) {
    ++trace_report_.unordered;
    ++lock.businesses[who].revoked;
    return;
  }
  check_exclusion(lock, hold);
  check_fence(lock, hold, line.live);
}

/// Reports two holders once: the earlier hold is then dropped as revoked, so its holder may still
/// leave.
void TraceChecker::check_exclusion(Lock& lock, const Hold& hold) {
  oracle::Node number = lock.next_hold++;
  bool broken = lock.exclusion.enter(number, hold.fence, hold.wish).has_value();
  auto other = std::find_if(lock.holds.begin(), lock.holds.end(), [&](const auto& each) {
    return broken && each.second.wish.conflicts(hold.wish);
  });
  if (other != lock.holds.end()) {
    const Hold& inside = other->second;
    bool may_have_left = has_strangers_ && lives_[inside.who].state == Life::State::killed;
    bool certain = is_certain(inside, hold);
    if (!certain) ++trace_report_.unordered;
    if (!may_have_left && certain)
      report(
          lock, Property::mutual_exclusion,
          "two holders: " + describe(hold) + " entered while " + describe(inside) + " was inside",
          {hold.place, "enters"}, {inside.place, "had entered, and not left"});
    ++lock.businesses[inside.who].revoked;
    drop(lock, other->first);
  }
  lock.holds.emplace(number, hold);
}

/// The oracle decides for writers. A live reader may have the fence of the last writer, the first
/// fence of its epoch, or the fence of the readers that it joins, so it is only compared with the
/// last writer's.
void TraceChecker::check_fence(Lock& lock, const Hold& hold, bool live) {
  bool broken = lock.fences.enter(lock.next_hold, hold.fence, hold.wish).has_value();
  bool reads = hold.wish.mode == Mode::read;
  if (reads && live) broken = lock.last_writer && hold.fence < lock.last_writer->fence;
  const std::optional<Hold>& before = reads ? lock.last_writer : lock.newest;
  note_gap(lock, hold.fence);
  if (broken && before && is_unordered(lock, hold, *before)) return void(++trace_report_.unordered);
  if (broken)
    report(lock, Property::fences,
           describe(hold) + " entered after " + (before ? describe(*before) : "nobody"),
           {hold.place, "enters with fence " + print(hold.fence)},
           {before ? before->place : hold.place,
            "had fence " + print(before ? before->fence : Fence())});
  if (!lock.newest || lock.newest->fence <= hold.fence) lock.newest = hold;
  if (!reads) lock.last_writer = hold;
}

void TraceChecker::leave(Lock& lock, const Line& line, LifeId who, TracePosition place) {
  std::optional<Wish> wish = parse_wish(line.detail);
  if (!wish) refuse(line);
  Business& business = lock.businesses[who];
  TracePosition before = std::exchange(business.last, place);
  auto found = std::find_if(lock.holds.begin(), lock.holds.end(), [&](const auto& each) {
    const Hold& hold = each.second;
    return hold.who == who && (!line.live || hold.wish.mode == wish->mode);
  });
  if (found != lock.holds.end()) {
    drop(lock, found->first);
  } else if (business.revoked > 0) {
    --business.revoked;
  } else if (!lives_[who].is_patchy) {
    report(lock, Property::invariant, lives_[who].id + " leaves, but is not inside",
           {place, line.happening == Happening::exit ? "leaves" : "has lost it"},
           {before.line > 0 ? before : lives_[who].begin, "came before"});
  }
}

void TraceChecker::withdraw(Lock& lock, const Line& line, LifeId who, TracePosition place) {
  std::optional<Wish> wish = parse_wish(line.detail);
  if (!wish) refuse(line);
  Business& business = lock.businesses[who];
  auto found = std::find_if(
      business.waiting.begin(), business.waiting.end(),
      [&](const WaitingClaim& claim) { return !line.live || claim.wish.mode == wish->mode; });
  TracePosition before = std::exchange(business.last, place);
  if (found != business.waiting.end()) return void(business.waiting.erase(found));
  if (!lives_[who].is_patchy)
    report(lock, Property::invariant, lives_[who].id + " withdraws, but has not asked",
           {place, "withdraws"}, {before.line > 0 ? before : lives_[who].begin, "came before"});
}

// The ends of holds.

void TraceChecker::drop(Lock& lock, oracle::Node number) {
  lock.exclusion.leave(number);
  lock.holds.erase(number);
}

template <class Predicate>
void TraceChecker::drop_holds(Predicate&& ends, bool revokes) {
  for (auto& [name, lock] : locks_) {
    std::vector<oracle::Node> ended;
    for (const auto& [number, hold] : lock.holds)
      if (ends(hold)) ended.push_back(number);
    for (oracle::Node number : ended) {
      if (revokes) ++lock.businesses[lock.holds.at(number).who].revoked;
      drop(lock, number);
    }
    if (revokes) trace_report_.revoked += ended.size();
  }
}

void TraceChecker::begin_epoch(const Line& line) {
  bool is_past = several_clocks_ && !epochs_.empty() && line.epoch < *epochs_.rbegin();
  epochs_.insert(line.epoch);
  if (is_past) return;
  std::set<LifeId> members;
  for (std::string_view rest = line.members; !rest.empty();) {
    std::size_t end = std::min(rest.find(' '), rest.size());
    members.insert(lives_.find_key(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  drop_holds([&](const Hold& hold) { return !members.contains(hold.who); }, true);
  members_ = std::move(members);
}

void TraceChecker::forget(LifeId who) {
  drop_holds([&](const Hold& hold) { return hold.who == who; }, false);
  for (auto& [name, lock] : locks_) lock.businesses.erase(who);
}

void TraceChecker::inherit(LifeId who, LifeId from) {
  for (auto& [name, lock] : locks_)
    if (auto found = lock.businesses.find(from); found != lock.businesses.end())
      lock.businesses[who].waiting = std::move(found->second.waiting);
}

// Texts of reports.

std::string TraceChecker::describe(const Hold& hold) const {
  std::string wish = hold.wish == Wish{} ? "" : ", " + print(hold.wish);
  return lives_[hold.who].id + " (fence " + print(hold.fence) + wish + ")";
}

void TraceChecker::report(const Lock& lock, Property property, const std::string& what,
                          Evidence now, Evidence before) {
  std::string where = lock.name.empty() ? "" : "lock " + lock.name + ": ";
  trace_report_.report({property, where + what, {std::move(now), std::move(before)}});
}

}  // namespace conch::audit
