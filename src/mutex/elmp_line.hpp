// The list of those who wait, in the order in which they enter: who is next, who is ahead, and what
// those ahead may still do with the data. The token moves along it and never waits for the tree.
//
// A node hosts a place for its own request, and for a while those of its requests that are over but
// stood between two others; the root hosts the last place of all, even if nobody wants to enter.
// Every place looks ahead: it knows what those before it may still read or write, at most. So a
// reader enters behind readers, and whoever wants a range enters when nobody ahead uses it
// (the report's MAYREAD, for ranges too); with writers of everything only the token is ever sent.
//
//   TOKEN(place, outlook)    everybody ahead is done
//   CLEAR(place, outlook)    those ahead are done with more than you know
//
// A place whose request is over passes the token on if it has it. If not, and if somebody is behind
// it, it asks the one ahead to take it out. One that is being taken out itself does not listen: the
// place behind it will hear who is ahead of it then, or get the token, and in neither case was
// anything lost. A number that is unknown is of a place that is no more, except that the token and
// news of the one ahead may come before the place itself has been given. So who comes back learns
// which numbers were given before: news for a place of its former life may still come.
//
//   SPLICE(place, next)      take me out; my next is now yours
//   SPLICED(place)           done
//   AHEAD(place, ahead)      I am gone; this one is ahead of you now
#pragma once

#include <optional>
#include <vector>

#include "mutex/elmp_messages.hpp"

namespace conch::elmp {

class Line {
 public:
  /// The first root hosts the first place, with the token.
  Line(NodeId self, const Assignment& start, const Ledger& ledger);

  /// In a newcomer: the last place that was given before it came.
  void begin_after(std::uint64_t place) { newest_ = place; }

  // At the root, which hosts the last place.
  /// The local process wants to enter: nobody is behind it, it takes the last place.
  void enqueue(const Wish& wish, Ledger& ledger, Out& out);
  /// Gives a new root the place behind the last one, which ceases to be the last.
  Admission admit(NodeId node, Ledger& ledger);
  /// To be called when the admission is on its way.
  void settle_all(Out& out);

  /// The new root takes the last place; with a wish if it still wants to enter.
  void take(const Admission& admission, const std::optional<Wish>& wish, Ledger& ledger, Out& out);
  /// The local process does not want to enter any more; it may have no place yet.
  void withdraw(Out& out);
  void release(const DataRef& data, Out& out);

  /// TOKEN, CLEAR, SPLICE, SPLICED or AHEAD.
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
  /// Somebody came after the one inside.
  bool has_next() const;
  bool holds_token() const;

  struct Place {
    std::uint64_t number = 0;
    /// Nobody ahead: the token is here, or the place has not been given to us yet.
    std::optional<Seat> ahead;
    /// How many have told us who is ahead: the last one counts.
    std::uint64_t link = 0;
    std::optional<Seat> next;
    std::uint64_t next_link = 0;
    bool given = false;
    bool token = false;
    /// Has asked to be taken out.
    bool splicing = false;
    bool inside = false;
    std::optional<Wish> wish;
    Fence fence;
    Extent<Outlook> outlook;
    /// What the next one has been told to expect.
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
  Without without_ = Without::nothing;
  /// The largest number of a place that was ours: a larger one is yet to be given.
  std::uint64_t newest_ = 0;
  std::vector<Place> places_;
  /// From one of our places to another, during a call.
  std::vector<News> to_self_;

 public:
  CONCH_FIELDS(Line, self_, without_, newest_, places_)
};

}  // namespace conch::elmp
