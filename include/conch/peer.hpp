// A member of a group. Any number of threads may use one object at once.
//
//   conch::Peer peer;                          // joins the group $CONCH_GROUP, or "default"
//   conch::Mutex deploy(peer, "deploy");
//   { std::scoped_lock guard(deploy); ... }    // one at a time, among all peers of the group
//                                              // ~Peer leaves it
//
// A peer has one background thread, which works only while none of your threads waits for a lock: a
// waiting thread receives its own token, and an unlocking thread sends it.
//
// A forked child cannot use its parent's objects: every call throws, and destructors do nothing.
// The parent keeps what it holds. The child may make a peer of its own.
#pragma once

#include <chrono>
#include <conch/error.hpp>
#include <conch/export.hpp>
#include <conch/log.hpp>
#include <conch/observer.hpp>
#include <conch/status.hpp>
#include <conch/stop.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conch {

namespace peer {
class Engine;
struct Build;
}  // namespace peer

struct TlsOptions {
  /// PEM files: this peer's certificate and key, and the authority that signed those of all
  /// members.
  std::string certificate;
  std::string key;
  std::string authority;

  bool enabled() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
};

/// An etcd cluster as the register (docs/register.md).
struct EtcdOptions {
  /// `http://host:port` or `https://host:port` of its members; some are enough. If empty, the
  /// register is a directory.
  std::vector<std::string> endpoints;
  /// PEM files for https: the authority of the cluster's certificates (default: the system's), and
  /// the client certificate and key, if the cluster asks for one.
  std::string authority;
  std::string certificate;
  std::string key;
  /// A user and the file with its password, if the cluster requires authentication.
  std::string user;
  std::string password_file;

  bool enabled() const { return !endpoints.empty(); }
};

/// How errors and log lines name an option: as the members below, as the environment variables of
/// docs/data.md, or as the flags of `conch peer --help`.
enum class OptionNames : std::uint8_t { members, environment, command_line };

struct PeerOptions {
  /// The group name (default: $CONCH_GROUP, else "default").
  std::string group;
  /// A name from `conch algorithms`. Default: what the group runs; if it is empty, what it ran
  /// last; if it is new, "naimi-trehel". Only an empty group accepts another algorithm than its
  /// own.
  std::string algorithm;
  /// `host:port` addresses to listen on, besides the Unix socket in the state directory. Port 0
  /// lets the system choose.
  std::vector<std::string> listen;
  /// `host:port` under which others reach this peer (default: what it listens on).
  std::string advertise;
  /// `host:port` of peers on the machine with the register, or of any members of a group without
  /// one. If empty, the register or the other members are on this machine.
  std::vector<std::string> join;
  /// The directory of the register and of the Unix sockets of the peers that share it (default:
  /// $XDG_STATE_HOME/conch, else ~/.local/state/conch).
  std::string state_directory;
  /// The etcd cluster to use as the register, instead of a directory.
  EtcdOptions etcd = {};
  /// The lease duration: how long the group waits for a silent peer. It applies only when the group
  /// is founded (default: 5 s); a peer that was given another value logs that it is ignored.
  std::optional<std::chrono::milliseconds> lease;
  /// If this peer vanishes while it holds a lock, nobody enters for this long beyond its lease, so
  /// that what it has started can end. There is no such wait if its process is known to be dead. At
  /// most 24 h.
  std::chrono::milliseconds lock_delay{};
  /// How long `try_lock` waits for an answer before it gives up.
  std::chrono::milliseconds try_patience = std::chrono::milliseconds(50);
  /// How long the constructor waits to be admitted before it throws.
  std::chrono::milliseconds admission_patience = std::chrono::seconds(30);
  /// Ends the constructor early: it throws soon after a stop is requested.
  StopToken give_up = {};
  TlsOptions tls;
  /// Allows listening on addresses other than loopback without TLS.
  bool insecure = false;
  /// Uses TCP even with peers of the same machine.
  bool tcp_only = false;
  /// Where this peer is, for algorithms that prefer near peers: a label such as `site/rack/host`
  /// (default: the host name). With `auto` the peers measure their distances.
  std::string cluster;
  /// How many near requests overtake distant ones (docs/algorithms.md), the same for all peers of
  /// a group. Default: the group's value; 2 if it is new.
  std::optional<unsigned> eps;
  /// For algorithms that need no register (docs/overlay.md): the overlay, `pastry` or
  /// `chord`, and the number of replicas of a lock. Default: the group's values; `pastry` and 5 if
  /// it is new.
  std::string dht;
  std::optional<unsigned> replicas;
  /// When the last peer leaves the group, its data are written to the state directory, if that is
  /// on the machine with the register; the next group of this name starts with them.
  bool persist = false;
  /// Serves the `conch lock` commands of this machine. Leave it off for a short-lived peer.
  bool serves_clients = false;
  /// A file to record this peer's events in, for `conch trace check`; empty for none. Each peer
  /// needs a file of its own, which is truncated at the start.
  std::string trace;
  /// Receives the log lines, one for each notable event (default: they go to standard error). The
  /// function may take a std::string_view.
  std::function<void(const LogLine& line)> log;
  OptionNames option_names = OptionNames::members;
};

class CONCH_API Peer {
 public:
  /// Joins the group. Throws Error if that is impossible, or takes too long.
  explicit Peer(PeerOptions options = {});
  /// Calls `leave`. Mutexes, tickets and handles that outlive the peer throw from then on.
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Gives up what is held and waited for, and leaves the group. If that takes more than 10 s,
  /// drops its lease instead, as a crash would.
  void leave();

  /// Unique in the group.
  std::uint64_t id() const;
  std::string_view group() const;
  std::string_view algorithm() const;
  /// The addresses it listens on, each as `host:port`.
  std::vector<std::string> listens() const;

  /// Asks all members for their status, and waits about a second for those that do not answer.
  /// Throws Error if this peer has left.
  GroupStatus status() const;
  /// Reports to the observer what this peer does from now on.
  [[nodiscard]] Observation observe(Observer& observer);

  /// For tests: a peer that behaves as one of another build.
  CONCH_PRIVATE Peer(PeerOptions options, const peer::Build& build);
  /// For the library's other classes.
  CONCH_PRIVATE peer::Engine& engine() const;

 private:
  std::shared_ptr<peer::Engine> engine_;
};

}  // namespace conch
