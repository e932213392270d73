// A steward of any algorithm behind one interface, which speaks bytes with the other peers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "recovery/steward.hpp"

namespace conch::node {

/// Data that are here.
struct Copy {
  std::string lock;
  DataRef data;
};

/// Where a life is.
struct Introduction {
  recovery::Life life;
  std::string address;
  CONCH_FIELDS(Introduction, life, address)
};

/// What one or several calls want done: introductions, all parcels, then the questions, then the
/// events.
struct Effects {
  struct Parcel {
    recovery::Life to;
    /// Where its payload is in `bytes`.
    std::size_t begin = 0;
    std::size_t size = 0;
    /// Of a message of a lock's algorithm: which lock.
    std::optional<std::string> lock;
    /// What its message is called.
    std::string_view type = {};
    /// Which data of the lock it speaks of; those of version 0 if of none.
    DataRef data = {};
  };
  /// Where lives are that no roster lists, and which are of no use any more.
  std::vector<Introduction> introductions;
  std::vector<recovery::Life> forgotten;
  std::string bytes;
  std::vector<Parcel> parcels;
  std::vector<recovery::Ask> asks;
  std::vector<recovery::Event> events;

  bool empty() const {
    return parcels.empty() && asks.empty() && events.empty() && introductions.empty() &&
           forgotten.empty();
  }
  void clear() {
    introductions.clear();
    forgotten.clear();
    bytes.clear();
    parcels.clear();
    asks.clear();
    events.clear();
  }
  std::string_view payload(const Parcel& parcel) const {
    return std::string_view(bytes).substr(parcel.begin, parcel.size);
  }
};

/// What came of a payload.
struct Intake {
  /// What is wrong with it, if something is.
  std::string fault;
  /// It broke an invariant: this life of the peer can be used no longer.
  bool fatal = false;
  /// The lock that it speaks of, if any.
  std::optional<std::string> lock;
  /// What its message is called.
  std::string_view type = {};
};

/// One life of this peer. Every call says what the clock shows.
class AnySteward {
 public:
  virtual ~AnySteward() = default;

  virtual void start(Time now, Effects& out) = 0;
  virtual void tick(Time now, Effects& out) = 0;
  virtual void answered(Time now, const recovery::Answer& answer, Effects& out) = 0;
  virtual void watched(Time now, Effects& out) = 0;
  virtual Intake receive(Time now, const recovery::Life& from, std::string_view payload,
                         Effects& out) = 0;
  virtual void timer(Time now, const std::string& lock, Epoch epoch, TimerId timer,
                     Effects& out) = 0;
  virtual void silent(Time now, const recovery::Life& life, Duration unacknowledged,
                      Effects& out) = 0;
  virtual void suspect(Time now, const recovery::Life& life, Effects& out) = 0;
  virtual void evict(Time now, std::set<recovery::Life> those, Effects& out) = 0;
  virtual void relabel(Time now, const std::map<NodeId, std::string>& labels, Effects& out) = 0;
  virtual void force_open(Time now, const std::string& lock, Effects& out) = 0;
  /// See recovery::Steward.
  virtual void delay_locks(Time now, Duration lock_delay, Effects& out) = 0;
  virtual Duration recorded_lock_delay() const = 0;
  virtual void hold_fast(bool holds) = 0;
  virtual bool holds_fast() const = 0;

  // False if the lease has run out: the events say so.
  virtual bool request(Time now, const std::string& lock, Mode mode, Effects& out) = 0;
  virtual bool cancel(Time now, const std::string& lock, Effects& out) = 0;
  /// The data count only if the lock was held to write.
  virtual bool release(Time now, const std::string& lock, const DataRef& data, Effects& out) = 0;
  /// The bytes of these data are here now.
  virtual bool copied(Time now, const std::string& lock, const DataRef& data, Effects& out) = 0;
  virtual void leave(Time now, Effects& out) = 0;

  virtual std::size_t forget_idle() = 0;

  /// Whether the view lists all members; else this peer knows its neighbours.
  virtual bool has_roster() const = 0;
  virtual Time wakes() const = 0;
  virtual bool has_lease(Time now) const = 0;
  virtual std::optional<Time> lease_until() const = 0;
  virtual recovery::Stage stage() const = 0;
  virtual const recovery::View& view() const = 0;
  virtual std::vector<NodeId> dead() const = 0;
  virtual Epoch epoch() const = 0;
  /// Of the locks that this peer knows.
  virtual std::vector<recovery::LockReport> reports(Time now) const = 0;
  virtual bool has_token(const std::string& lock) const = 0;
  /// For a lock that is held here: false if the algorithm knows that no other peer waits for it.
  virtual bool may_be_wanted(const std::string& lock) const = 0;
  /// The newest data of the lock that this peer knows of.
  virtual DataRef known_data(const std::string& lock) const = 0;
  /// To look at; none in a group without a register.
  virtual const recovery::Participant* participant() const { return nullptr; }
};

/// Of a group whose founder does not say.
inline constexpr unsigned default_eps = 2;

struct StewardTraits {
  recovery::Member self;
  recovery::LeaseTerms lease;
  /// What the group must have; whatever it has without.
  std::optional<unsigned> eps = {};
  /// What has come to be here since the last call; asked before it may report that.
  std::function<std::vector<Copy>()> new_copies;
  // Only tests and simulations set these: a variant of the algorithm, a recovery rule to leave out,
  // and after how many entries an epoch is renewed.
  Tuning tuning = {};
  recovery::Rule without = recovery::Rule::none;
  std::optional<std::uint64_t> entries_max = {};
};

/// None. Specimens of peers, which tests must catch, have a definition of their own.
recovery::Rule rule_left_out();

std::unique_ptr<AnySteward> make_steward(const CatalogEntry& entry, const StewardTraits& traits);

}  // namespace conch::node
