// What one client has seen of the leases in etcd, and since when by its own clock.
//
// A lease is a key that its peer writes again and again. Who has seen no change of it for the time
// of a lease knows that it is over, whatever clocks the others have; who has begun to look only now
// waits as long. It is then ended by a transaction that asks for the revision that was seen, so a
// lease that was renewed meanwhile is not.
//
// The thread that asks etcd uses it, and the one that watches.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::etcd {

struct Lease {
  /// `missing`: it cannot be renewed, but its peer may not have learned that yet.
  enum class State : std::uint8_t { running, ended, missing } state = State::missing;
  /// Of etcd, when it became so.
  std::int64_t revision = 0;
  /// Of our clock, when we saw that.
  Duration since{};
  /// So much longer it is waited for when its time is over.
  Duration lock_delay{};
};

/// What stands in the key: of one that runs, with its lock delay in nanoseconds, if it has one.
inline constexpr std::string_view ended_value = "ended";
std::string running_value(Duration lock_delay = {});
constexpr Lease::State state_in(std::string_view value) {
  return value == ended_value ? Lease::State::ended : Lease::State::running;
}
/// None if it makes no sense.
Duration lock_delay_in(std::string_view value);

class Ledger {
 public:
  explicit Ledger(Duration lease);

  /// Becomes readable when something was heard that no answer has told yet, or a lease is over that
  /// the last answer mentioned.
  int descriptor() const { return epoll_.number(); }

  /// One lease, in an answer.
  void saw(const recovery::Life& life, Lease::State state, std::int64_t revision,
           Duration lock_delay = {});
  struct Seen {
    Lease::State state;
    std::int64_t revision;
    Duration lock_delay = {};
  };
  /// All leases there are, in an answer of this revision.
  void saw_all(const std::map<recovery::Life, Seen>& all, const recovery::View& view,
               std::int64_t revision);
  /// From the watch.
  void heard(const recovery::Life& life, Lease::State state, std::int64_t revision,
             Duration lock_delay = {});
  /// From the watch: there is a new view, or nobody knows what there is, up to this revision.
  void heard_of_view(std::int64_t revision);

  Lease find(const recovery::Life& life) const;
  bool is_over(const Lease& lease) const;
  /// Who has a lease, and is not mentioned.
  std::vector<recovery::Life> strangers(const recovery::View& view, std::size_t most) const;

  /// Revisions begin anew: nothing is known.
  void forget();
  /// Somebody was told what there was at this revision.
  void told(const recovery::View& view, std::int64_t revision);

 private:
  bool note(const recovery::Life& life, const Seen& seen);
  void ring(std::int64_t revision);
  void set_timer();

  Duration lease_;
  file::Descriptor epoll_;
  file::Descriptor bell_;
  file::Descriptor timer_;
  mutable std::mutex mutex_;
  std::map<recovery::Life, Lease> leases_;
  /// Whose end would be news.
  std::set<recovery::Life> mentioned_;
  std::int64_t told_ = 0;
  std::int64_t heard_ = 0;
};

}  // namespace conch::etcd
