#include "mutex/elmp_line.hpp"

#include <algorithm>
#include <utility>

namespace conch::elmp {

namespace {

/// Merges two reports: each part comes from the one that is farther along.
Outlook later(const Outlook& a, const Outlook& b) {
  return {std::min(a.use, b.use), newer(a.newest, b.newest)};
}

Usage use_of(const Wish& wish) { return wish.mode == Mode::write ? Usage::write : Usage::read; }

/// The outlook of the next place: everything ahead, and this place's own wish.
Extent<Outlook> seen_from_behind(const PlaceList::Place& place) {
  Extent<Outlook> seen = place.outlook;
  if (place.wish) {
    seen.update(place.wish->range, [&](const Outlook& outlook) {
      return Outlook{std::max(outlook.use, use_of(*place.wish)), outlook.newest};
    });
  }
  return seen;
}

Extent<Usage> uses(const Extent<Outlook>& outlook) {
  Extent<Usage> uses;
  uses.merge(outlook, [](Usage, const Outlook& there) { return there.use; });
  return uses;
}

bool may_enter(const PlaceList::Place& place) {
  Usage bearable = place.wish->mode == Mode::write ? Usage::none : Usage::read;
  return !place.outlook.any(place.wish->range,
                            [&](const Outlook& outlook) { return outlook.use > bearable; });
}

}  // namespace

PlaceList::PlaceList(NodeId self, const Assignment& start, const Ledger& ledger)
    : self_(self), policy_(policy_of<ElmpPolicy>(start.tuning)) {
  if (self != start.home) return;
  newest_ = ledger.place;
  Place first;
  first.number = ledger.place;
  first.given = true;
  first.token = true;
  first.outlook = Extent(Outlook{Usage::none, start.baton});
  places_.push_back(std::move(first));
}

void PlaceList::want(Place& place, const Wish& wish, Ledger& ledger) {
  place.wish = wish;
  if (wish.mode == Mode::write) place.fence = ledger.fence = ledger.fence.next();
}

void PlaceList::enqueue(const Wish& wish, Ledger& ledger, Out& out) {
  Place& last = last_place();
  CONCH_EXPECT(!last.wish, "the last place is unused");
  want(last, wish, ledger);
  settle(last.number, out);
  tell_self(out);
}

Admission PlaceList::admit(NodeId node, Ledger& ledger) {
  Place& last = last_place();
  last.next = Seat{node, ++ledger.place};
  last.next_link = 0;
  Extent<Outlook> outlook = seen_from_behind(last);
  last.told = uses(outlook);
  return {ledger.place, Seat{self_, last.number}, std::move(outlook)};
}

void PlaceList::take(const Admission& admission, const std::optional<Wish>& wish, Ledger& ledger,
                     Out& out) {
  Place* expected = find_or_expect(admission.place);
  CONCH_EXPECT(expected != nullptr, "a place is given once");
  Place& place = *expected;
  place.given = true;
  place.token = policy_->keeps_early_token(place.token);
  if (!place.token && place.link == 0) place.ahead = admission.ahead;
  if (!place.token) place.outlook.merge(admission.outlook, later);
  if (wish) want(place, *wish, ledger);
  settle(admission.place, out);
  tell_self(out);
}

void PlaceList::withdraw(Out& out) {
  Place* place = own();
  if (place == nullptr) return;
  CONCH_EXPECT(!place->inside, "only a waiter withdraws");
  place->wish.reset();
  settle(place->number, out);
  tell_self(out);
}

void PlaceList::release(const DataRef& data, Out& out) {
  Place* place = own();
  CONCH_EXPECT(place != nullptr && place->inside, "only a holder releases");
  if (place->wish->mode == Mode::write) {
    place->outlook.update(place->wish->range, [&](const Outlook& outlook) {
      return Outlook{outlook.use, Baton{place->fence, data}};
    });
  }
  place->wish.reset();
  place->inside = false;
  settle(place->number, out);
  tell_self(out);
}

void PlaceList::settle_all(Out& out) {
  std::vector<std::uint64_t> numbers;
  for (const Place& place : places_) numbers.push_back(place.number);
  for (std::uint64_t number : numbers) settle(number, out);
  tell_self(out);
}

/// A node may host two neighbouring places; it sends no messages to itself.
void PlaceList::tell(NodeId node, News news, Out& out) {
  if (node == self_) return to_self_.push_back(std::move(news));
  std::visit([&](auto& chosen) { out.send(node, std::move(chosen)); }, news);
}

void PlaceList::tell_self(Out& out) {
  while (!to_self_.empty()) {
    News news = std::move(to_self_.front());
    to_self_.erase(to_self_.begin());
    std::visit([&](const auto& chosen) { take_in(self_, chosen, out); }, news);
  }
}

/// Takes every step that has become possible at a place: enter, pass on, leave the list.
void PlaceList::settle(std::uint64_t number, Out& out) {
  Place& place = *find(number);
  if (!place.given) return;
  if (place.wish && !place.inside && may_enter(place)) {
    place.inside = true;
    enter(place, out);
  }
  if (!place.next) return;
  bool over = !place.wish;
  if (over && policy_->passes_on(place.token)) {
    tell(place.next->node, Token{place.next->place, place.outlook}, out);
    return remove(number);
  }
  if (over && !place.splicing && place.ahead && policy_->asks_out()) {
    place.splicing = true;
    tell(place.ahead->node,
         Splice{place.ahead->place, *place.next, place.next_link + 1, place.outlook}, out);
  }
  Extent<Outlook> seen = seen_from_behind(place);
  Extent<Usage> used = uses(seen);
  if (used == place.told) return;
  place.told = std::move(used);
  tell(place.next->node, Clear{place.next->place, std::move(seen)}, out);
}

/// A reader's fence is that of the last writer before it in its range.
void PlaceList::enter(Place& place, Out& out) const {
  Baton newest;
  place.outlook.visit(place.wish->range, [&](const Range&, const Outlook& outlook) {
    newest = newer(newest, outlook.newest);
  });
  if (place.wish->mode == Mode::read) place.fence = newest.fence;
  std::vector<Part> parts;
  if (*place.wish != Wish{} || !place.outlook.uniform()) {
    place.outlook.visit(place.wish->range, [&](const Range& range, const Outlook& outlook) {
      parts.push_back({range, outlook.newest});
    });
  }
  out.enter({place.fence, newest.data}, std::move(parts));
}

void PlaceList::take_in(NodeId, const Token& m, Out& out) {
  Place* place = find_or_expect(m.place);
  CONCH_EXPECT(place != nullptr && !place->token, "the token comes to a place, once");
  place->token = true;
  place->ahead.reset();
  place->outlook.merge(m.outlook, later);
  settle(m.place, out);
}

void PlaceList::take_in(NodeId, const Clear& m, Out& out) {
  Place* place = find_or_expect(m.place);
  if (place == nullptr || place->token) return;
  place->outlook.merge(m.outlook, later);
  settle(m.place, out);
}

void PlaceList::take_in(NodeId from, const Splice& m, Out& out) {
  Place* place = find(m.place);
  if (place == nullptr || place->splicing) return;  // the sender hears AHEAD or gets the token
  CONCH_EXPECT(place->next && place->next->node == from, "only the next one is taken out");
  tell(from, Spliced{place->next->place}, out);
  place->next = m.next;
  place->next_link = m.link;
  place->told = uses(m.outlook);
  place->outlook.merge(m.outlook, [](const Outlook& here, const Outlook& behind) {
    return Outlook{here.use, newer(here.newest, behind.newest)};
  });
  settle(m.place, out);
}

void PlaceList::take_in(NodeId from, const Spliced& m, Out& out) {
  Place* place = find(m.place);
  bool asked = place != nullptr && place->splicing && place->ahead && place->next;
  CONCH_EXPECT(asked && place->ahead->node == from, "only a place that asked is taken out");
  tell(place->next->node, Ahead{place->next->place, *place->ahead, place->next_link + 1}, out);
  remove(m.place);
}

void PlaceList::take_in(NodeId, const Ahead& m, Out& out) {
  Place* place = find_or_expect(m.place);
  if (place == nullptr || place->token || m.link <= place->link) return;
  place->ahead = m.ahead;
  place->link = m.link;
  place->splicing = false;
  settle(m.place, out);
}

PlaceList::Place* PlaceList::find(std::uint64_t number) {
  auto found = std::find_if(places_.begin(), places_.end(),
                            [&](const Place& place) { return place.number == number; });
  return found == places_.end() ? nullptr : &*found;
}

/// Finds a place that is ours or will be given to us; null for one that is gone.
PlaceList::Place* PlaceList::find_or_expect(std::uint64_t number) {
  if (number <= newest_) return find(number);
  newest_ = number;
  Place expected;
  expected.number = number;
  expected.outlook = Extent(Outlook{Usage::write, Baton{}});
  return &places_.emplace_back(std::move(expected));
}

/// The last place of the whole list, for this is the root.
PlaceList::Place& PlaceList::last_place() {
  CONCH_EXPECT(!places_.empty() && places_.back().given && !places_.back().next,
               "the root hosts the last place");
  return places_.back();
}

/// The place of the process's own request.
PlaceList::Place* PlaceList::own() {
  auto found = std::find_if(places_.begin(), places_.end(),
                            [](const Place& place) { return place.wish.has_value(); });
  return found == places_.end() ? nullptr : &*found;
}

void PlaceList::remove(std::uint64_t number) {
  std::erase_if(places_, [&](const Place& place) { return place.number == number; });
}

bool PlaceList::wanted() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.wish.has_value(); });
}

bool PlaceList::inside() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.inside; });
}

bool PlaceList::has_next() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.inside && place.next; });
}

bool PlaceList::holds_token() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.token; });
}

}  // namespace conch::elmp
