// What one client has seen of the leases in etcd, and when, by its own clock.
//
// A lease is a key that its peer writes again and again. A client that has seen no change for one
// lease duration knows that the lease is over, whatever the clocks of others show. One that has
// only just started to look waits that long, too. The client then ends the lease by a transaction
// that checks the revision it saw, so a lease that was renewed meanwhile survives.
//
// Thread-safe: the thread that asks etcd and the one that watches both use it.
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

struct EtcdLease {
  /// `missing`: it cannot be renewed, but its peer may not have learned that yet.
  enum class State : std::uint8_t { running, ended, missing } state = State::missing;
  /// The etcd revision of the last change.
  std::int64_t revision = 0;
  /// When we saw that, by our clock.
  Duration since{};
  /// How much longer others wait once its time is over.
  Duration lock_delay{};
};

/// The values of a lease key. A running one may carry its lock delay in nanoseconds.
inline constexpr std::string_view ended_value = "ended";
std::string running_value(Duration lock_delay = {});
constexpr EtcdLease::State state_in(std::string_view value) {
  return value == ended_value ? EtcdLease::State::ended : EtcdLease::State::running;
}
/// Zero if the value has none, or one that is out of range.
Duration lock_delay_in(std::string_view value);

class LeaseLedger {
 public:
  explicit LeaseLedger(Duration lease);

  /// Becomes readable when the watch reports something that no answer has told yet, or when a lease
  /// that the last answer mentioned is over.
  int descriptor() const { return epoll_.number(); }

  /// Records one lease from an answer.
  void saw(const PeerInstance& life, EtcdLease::State state, std::int64_t revision,
           Duration lock_delay = {});
  struct Seen {
    EtcdLease::State state;
    std::int64_t revision;
    Duration lock_delay = {};
  };
  /// Records all leases from an answer of this revision.
  void saw_all(const std::map<PeerInstance, Seen>& all, const recovery::View& view,
               std::int64_t revision);
  /// Records a lease that the watch reported.
  void heard(const PeerInstance& life, EtcdLease::State state, std::int64_t revision,
             Duration lock_delay = {});
  /// The watch reports a new view, or that it lost events, up to this revision.
  void heard_of_view(std::int64_t revision);

  EtcdLease find(const PeerInstance& life) const;
  bool is_over(const EtcdLease& lease) const;
  /// Lives that have a lease but that the view does not mention; at most `most`.
  std::vector<PeerInstance> strangers(const recovery::View& view, std::size_t most) const;

  /// Forgets everything, because revisions start again.
  void forget();
  /// A caller was told the state at this revision.
  void told(const recovery::View& view, std::int64_t revision);

 private:
  bool note(const PeerInstance& life, const Seen& seen);
  void ring(std::int64_t revision);
  void set_timer();

  Duration lease_;
  net::Descriptor epoll_;
  net::Descriptor bell_;
  net::Descriptor timer_;
  mutable std::mutex mutex_;
  std::map<PeerInstance, EtcdLease> leases_;
  /// Lives in the view last told; the end of their leases would be news.
  std::set<PeerInstance> mentioned_;
  std::int64_t told_ = 0;
  std::int64_t heard_ = 0;
};

}  // namespace conch::etcd
