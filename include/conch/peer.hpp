// A member of a group. Objects of this class may be used by any number of threads at once.
//
//   conch::Peer peer;                          // joins the group $CONCH_GROUP, or "default"
//   conch::Mutex deploy(peer, "deploy");
//   { std::scoped_lock guard(deploy); ... }    // one at a time, among all peers of the group
//                                              // ~Peer leaves it
//
// A peer has one background thread, which works only while no thread of yours waits for a lock: a
// thread that waits receives its own token, and one that unlocks sends it.
//
// A forked child cannot use what its parent made: every call throws, destructors do nothing, and
// what the parent holds it goes on holding. The child may make a peer of its own.
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
}

struct TlsOptions {
  /// PEM files: this peer's certificate and key, and the authority that has signed everybody's.
  std::string certificate;
  std::string key;
  std::string authority;

  bool enabled() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
};

/// An etcd cluster as the register; docs/etcd.md.
struct EtcdOptions {
  /// `http://host:port` or `https://host:port` of its members; not all need be named. Empty: the
  /// register is a directory.
  std::vector<std::string> endpoints;
  /// For https, PEM files: the authority of the cluster's certificates, the system's if empty; and
  /// what this peer shows, if the cluster wants to see something.
  std::string authority;
  std::string certificate;
  std::string key;
  /// If the cluster wants to know who asks: a user, and the file that has its password.
  std::string user;
  std::string password_file;

  bool enabled() const { return !endpoints.empty(); }
};

/// How the texts of errors and log lines call an option: as below, as the variables of docs/dho.md,
/// or as `conch peer --help`.
enum class OptionNames : std::uint8_t { members, environment, command_line };

struct PeerOptions {
  /// Empty: $CONCH_GROUP, or "default".
  std::string group;
  /// A name of `conch algorithms`; empty: what the group runs, or ran last if it is empty,
  /// "naimi-trehel" if it is new. Only an empty group takes another than its own.
  std::string algorithm;
  /// `host:port` addresses to listen on, besides the Unix socket in the state directory; port 0
  /// lets the system choose.
  std::vector<std::string> listen;
  /// `host:port` under which others reach this peer; empty: what it listens on.
  std::string advertise;
  /// `host:port` of peers on the machine that has the register, or of any peers of a group that has
  /// none; empty: it is this machine, or they are.
  std::vector<std::string> join;
  /// Where the register is, and the Unix sockets of those who share it; empty:
  /// $XDG_STATE_HOME/conch, or ~/.local/state/conch.
  std::string state_directory;
  /// The register, instead of a directory.
  EtcdOptions etcd = {};
  /// How long a silent peer is waited for. A group keeps what it was founded with, and its peers
  /// say so if they were given something else; without: the group's, 5 s if it is new.
  std::optional<std::chrono::milliseconds> lease;
  /// After this peer has vanished with a lock, nobody enters for so long beyond its lease: time for
  /// what it has set in motion to end. Not waited for if its process is known to be dead. 24 h at
  /// most.
  std::chrono::milliseconds lock_delay{};
  /// How long `try_lock` waits for an answer before it gives up.
  std::chrono::milliseconds try_patience = std::chrono::milliseconds(50);
  /// How long the constructor waits to be admitted before it throws.
  std::chrono::milliseconds admission_patience = std::chrono::seconds(30);
  /// Ends the constructor early: it throws soon after a stop was requested.
  StopToken give_up = {};
  TlsOptions tls;
  /// Listens on other addresses than loopback without TLS.
  bool insecure = false;
  /// Speaks TCP also with peers of the same machine.
  bool tcp_only = false;
  /// Whom this peer is near, for an algorithm that minds it: a label as `site/rack/host`; empty:
  /// the host's name; `auto`: the peers measure how far they are from one another.
  std::string cluster;
  /// How many near requests overtake distant ones (docs/hierarchical.md): all peers of a group have
  /// the same; without: the group's, 2 if it is new.
  std::optional<unsigned> eps;
  /// Of algorithms that need no register (docs/overlay-peers.md): the overlay, `pastry` or `chord`,
  /// and how many replicas a lock has. Empty, and without: the group's; `pastry` and 5 if it is
  /// new.
  std::string dht;
  std::optional<unsigned> replicas;
  /// The data of a group whose last peer leaves are written to the state directory, if it is on the
  /// machine that has the register; the next group of that name begins with them.
  bool persist = false;
  /// Serves the `conch lock` of this machine. A short-lived peer does not.
  bool serves_clients = false;
  /// A file to write what happens at this peer to, for `conch trace check`; empty: none. It is
  /// this peer's alone, and begins anew.
  std::string trace;
  /// One line for everything worth knowing; none: to standard error if something is wrong.
  /// It may take a std::string_view.
  std::function<void(const LogLine& line)> log;
  OptionNames option_names = OptionNames::members;
};

class CONCH_API Peer {
 public:
  /// Joins; throws Error if that is impossible, or not possible in time.
  explicit Peer(PeerOptions options = {});
  /// Leaves, as `leave` does. Mutexes, tickets and handles that live on throw from then on.
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Gives up what is held and waited for, and leaves the group; in vain after some seconds: then
  /// its lease ends at once, as if it had crashed.
  void leave();

  /// Unique in the group.
  std::uint64_t id() const;
  std::string_view group() const;
  std::string_view algorithm() const;
  /// Where it listens, `host:port` each.
  std::vector<std::string> listens() const;

  /// Asks all members how they are, and waits a second or so for those that do not answer. Throws
  /// Error if this peer has left.
  GroupStatus status() const;
  /// Tells the observer what this peer does from now on.
  [[nodiscard]] Observation observe(Observer& observer);

  /// For the other headers.
  CONCH_PRIVATE peer::Engine& engine() const;

 private:
  std::shared_ptr<peer::Engine> engine_;
};

}  // namespace conch
