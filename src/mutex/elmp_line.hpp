// The list of places in the order of entry: who is next, who is ahead, and how those ahead may
// still use the data. The token moves along it and never waits for the tree.
//
// A node hosts a place for its own request. It keeps the place of a finished request as long as
// that stands between two others. The root hosts the last place of all, even if nobody wants to
// enter. Every place has an outlook: an upper bound on what those ahead may still read or write. So
// a reader enters behind readers, and a request for a range enters when no place ahead uses that
// range (the report's MAYREAD, for ranges too). If all requests write everything, only the token is
// ever sent.
//
//   TOKEN(place, outlook)    all ahead are done
//   CLEAR(place, outlook)    those ahead are done with more than you know
//
// A place whose request is over passes the token on if it has it. If not, and if a place is behind
// it, it asks the place ahead to take it out. A place that is being taken out ignores news: the
// place behind it will hear of its new predecessor, or get the token, so nothing is lost. A message
// for an unknown number is for a place that is gone and is dropped; only the token and AHEAD may
// come before their place is given. A returning member therefore learns which numbers were given
// before: news for a place of its former life may still arrive.
//
//   SPLICE(place, next)      take me out; my next is now yours
//   SPLICED(place)           done
//   AHEAD(place, ahead)      I am gone; this one is ahead of you now
#pragma once

#include <optional>
#include <vector>

#include "mutex/elmp_policy.hpp"

namespace conch::elmp {

class PlaceList {
 public:
  /// The first root hosts the first place, which has the token.
  PlaceList(NodeId self, const Assignment& start, const Ledger& ledger);

  /// Tells a newcomer the last place that was given before it came.
  void begin_after(std::uint64_t place) { newest_ = place; }

  // At the root, which hosts the last place:
  /// Gives the local request the last place, behind which no other waits.
  void enqueue(const Wish& wish, Ledger& ledger, Out& out);
  /// Gives the new root a place behind the last one, so that the new one is the last.
  Admission admit(NodeId node, Ledger& ledger);
  /// Call this after the admission is sent.
  void settle_all(Out& out);

  /// The new root takes the last place, with its wish if it still has one.
  void take(const Admission& admission, const std::optional<Wish>& wish, Ledger& ledger, Out& out);
  /// The local process cancels its request, which may have no place yet.
  void withdraw(Out& out);
  void release(const DataRef& data, Out& out);

  /// Accepts TOKEN, CLEAR, SPLICE, SPLICED or AHEAD.
  template <class M>
  void receive(NodeId from, const M& m, Out& out) {
    take_in(from, m, out);
    tell_self(out);
  }

  bool empty() const { return places_.empty(); }
  /// The whole list is here, and nobody wants to enter.
  bool idle() const { return places_.size() == 1 && places_.front().token && !wanted(); }
  /// Whether the process's request has a place.
  bool wanted() const;
  bool inside() const;
  /// Whether a place follows that of the request inside.
  bool has_next() const;
  bool holds_token() const;

  struct Place {
    std::uint64_t number = 0;
    /// Empty if none is ahead: the token is here, or the place has not been given to us yet.
    std::optional<Seat> ahead;
    /// Counts the reports of who is ahead; the highest count is the newest report.
    std::uint64_t link = 0;
    std::optional<Seat> next;
    std::uint64_t next_link = 0;
    bool given = false;
    bool token = false;
    /// It has asked to be taken out.
    bool splicing = false;
    bool inside = false;
    std::optional<Wish> wish;
    Fence fence;
    Extent<Outlook> outlook;
    /// The usage that the next place was told to expect.
    Extent<Usage> told;
    CONCH_FIELDS(Place, number, ahead, link, next, next_link, given, token, splicing, inside, wish,
                 fence, outlook, told)
  };
  const std::vector<Place>& places() const { return places_; }

 private:
  using News = std::variant<Token, Clear, Splice, Spliced, Ahead>;
  void tell(NodeId node, News news, Out& out);
  void tell_self(Out& out);
  void take_in(NodeId from, const Token& m, Out& out);
  void take_in(NodeId from, const Clear& m, Out& out);
  void take_in(NodeId from, const Splice& m, Out& out);
  void take_in(NodeId from, const Spliced& m, Out& out);
  void take_in(NodeId from, const Ahead& m, Out& out);

  Place* find(std::uint64_t number);
  Place* find_or_expect(std::uint64_t number);
  Place& last_place();
  Place* own();
  void want(Place& place, const Wish& wish, Ledger& ledger);
  void settle(std::uint64_t number, Out& out);
  void enter(Place& place, Out& out) const;
  void remove(std::uint64_t number);

  NodeId self_;
  const ElmpPolicy* policy_;
  /// Places up to this number were given already; a larger number is a place that is yet to be
  /// given.
  std::uint64_t newest_ = 0;
  std::vector<Place> places_;
  /// News between two of our own places; empty outside a call.
  std::vector<News> to_self_;

 public:
  CONCH_NAMED_FIELDS(PlaceList, "Line", self_, newest_, places_)
};

}  // namespace conch::elmp
