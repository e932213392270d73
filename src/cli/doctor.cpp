#include "cli/doctor.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/timex.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "net/certificate.hpp"
#include "net/client_link.hpp"
#include "net/clock.hpp"
#include "net/listeners.hpp"
#include "net/private_folder.hpp"
#include "net/tls.hpp"
#include "peer/names.hpp"
#include "peer/register_choice.hpp"
#include "register/etcd_client.hpp"
#include "register/etcd_names.hpp"
#include "register/etcd_register.hpp"
#include "register/etcd_restored.hpp"
#include "register/file_register.hpp"
#include "register/file_system.hpp"

namespace conch::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::floor;
using std::chrono::system_clock;

constexpr Duration probe_patience = 3s;
constexpr auto soon = days(14);
/// Enough for a few hundred members, with three descriptors each.
constexpr rlim_t files_wanted = 1024;
/// A few times the size of a view of a few hundred members.
constexpr std::uintmax_t room_wanted = 64 << 10;
/// Each peer of this machine that watches a file register needs one.
constexpr unsigned instances_wanted = 64;

std::string milliseconds_text(Duration time) {
  return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>(time).count());
}

std::string members_text(const recovery::View& view) {
  return fmt::format("{} member{}", view.roster.size(), view.roster.size() == 1 ? "" : "s");
}

unsigned number_in(const std::string& path) {
  std::ifstream file(path);
  unsigned number = 0;
  file >> number;
  return number;
}

}  // namespace

Doctor::Doctor(PeerOptions options, Report report)
    : options_(std::move(options)),
      report_(std::move(report)),
      group_(peer::group_named(options_.group)),
      directories_(peer::directories_of(group_, options_.state_directory)),
      tls_{options_.tls.certificate, options_.tls.key, options_.tls.authority} {}

void Doctor::look() {
  look_at_machine();
  look_at_clock();
  look_at_directories();
  look_at_certificates();
  look_at_ports();
  look_at_peers_here();
  look_at_register();
}

void Doctor::look_at_machine() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  std::string limit = fmt::format("a process may have {} files open", files.rlim_max);
  if (files.rlim_max >= files_wanted) {
    good(limit);
  } else {
    doubtful(limit + ": enough for a small group; raise `ulimit -Hn` for a large one");
  }
  unsigned instances = number_in("/proc/sys/fs/inotify/max_user_instances");
  if (instances >= instances_wanted || options_.etcd.enabled()) return;
  doubtful(
      fmt::format("a user may have {} inotify instances; a peer without one sees new views a fifth "
                  "of a second later: raise fs.inotify.max_user_instances",
                  instances));
}

/// Locks use a clock that cannot be set. Certificates and logs rely on the wall clock.
void Doctor::look_at_clock() {
  timex state{};
  int how = ::adjtimex(&state);
  bool is_set = how >= 0 && how != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  std::string now =
      fmt::format("the clock says {:%FT%T}Z", floor<std::chrono::seconds>(system_clock::now()));
  if (is_set) return good(now + ", and is synchronised");
  doubtful(now + ", but is not synchronised (NTP): locks do not depend on it, but certificates do");
}

void Doctor::look_at_directories() {
  try {
    peer::check_directories(group_, options_.state_directory);
  } catch (const Error& error) {
    has_access_ = false;
    return bad(error.what());
  }
  if (!std::filesystem::exists(directories_.state))
    return good(fmt::format("the group '{}' has not been used here: its first peer will create {}",
                            group_, directories_.state));
  good(fmt::format("{} belongs to this user alone, and no other user can replace it",
                   directories_.state));
}

void Doctor::look_at_certificates() {
  if (options_.tls.enabled()) {
    try {
      net::TlsContext fits(tls_);
      look_at(tls_.certificate, tls_.authority);
    } catch (const Error& error) {
      bad(error.what());
    }
  }
  const EtcdOptions& etcd = options_.etcd;
  if (!etcd.certificate.empty()) {
    try {
      look_at(etcd.certificate, "");
      look_at_common_name();
    } catch (const Error& error) {
      bad(error.what());
    }
  }
}

void Doctor::look_at(const std::string& file, const std::string& authority) {
  net::Certificate paper = net::read_certificate(file);
  auto now = floor<std::chrono::seconds>(system_clock::now());
  std::string whose = fmt::format("the certificate of {} in {}", paper.subject, file);
  if (now < paper.from)
    return bad(
        fmt::format("{} is not valid before {:%F %T}: set the clock, or wait", whose, paper.from));
  if (now > paper.until)
    return bad(fmt::format("{} expired at {:%F %T}: make a new one", whose, paper.until));
  if (std::string why = authority.empty() ? "" : net::doubt(file, authority); !why.empty())
    return bad(fmt::format("{} is not accepted by peers that trust {}: {}", whose, authority, why));
  std::string text = fmt::format("{} is valid for {} days", whose,
                                 std::chrono::ceil<days>(paper.until - now).count());
  if (paper.until - now < soon) return doubtful(text + ": renew it soon");
  good(text);
}

/// With authentication enabled, a password identifies the user, and etcd's gateway refuses a
/// certificate with a CommonName, which could name a user, too.
void Doctor::look_at_common_name() {
  const EtcdOptions& etcd = options_.etcd;
  if (!net::read_certificate(etcd.certificate).has_common_name) return;
  std::string text = fmt::format(
      "the certificate in {} has a CommonName, which etcd's gateway refuses {}: make one without "
      "(openssl req -subj /O=conch)",
      etcd.certificate, etcd.user.empty() ? "once authentication is enabled" : "from every user");
  etcd.user.empty() ? doubtful(text) : bad(text);
}

void Doctor::look_at_ports() {
  for (const std::string& address : options_.listen) {
    net::ListenOptions listening;
    listening.listen = {address};
    listening.tls = tls_;
    listening.insecure = options_.insecure;
    try {
      net::Listeners listeners(listening, 1);
      good("nothing listens on " + address + ": a peer can");
    } catch (const Error& error) {
      try {
        net::ask_who(address, group_, tls_, probe_patience);
        good(fmt::format("a peer of the group '{}' listens on {}", group_, address));
      } catch (const Error&) {
        bad(error.what());
      }
    }
  }
}

void Doctor::ask(const std::string& whom, const std::string& address, const net::Tls& tls) {
  Time before = net::steady_now();
  try {
    net::PeerInfo who =
        net::ask_who(address, group_, tls, probe_patience, directories_.sockets + "/");
    good(fmt::format("{} answers in {}: conch {}, {}", whom,
                     milliseconds_text(net::steady_now() - before), who.software, who.algorithm));
  } catch (const Error& error) {
    bad(fmt::format("{} cannot be reached: {}", whom, error.what()));
  }
}

void Doctor::look_at_peers_here() try {
  for (const peer::PeerSocket& socket : peer::sockets_in(directories_.sockets)) {
    std::string path = peer::socket_path(directories_.sockets, socket);
    Time before = net::steady_now();
    try {
      net::ClientLink link(path, group_, before + probe_patience);
      good(fmt::format("the peer at {} answers in {}", path,
                       milliseconds_text(net::steady_now() - before)));
    } catch (const net::Untrusted& error) {
      bad(error.what());
    } catch (const Error& error) {
      doubtful(
          fmt::format("no peer answers at {} ({}): a killed peer leaves its socket behind, and the "
                      "next peer removes it",
                      path, error.what()));
    }
  }
} catch (const Error&) {  // `look_at_directories` has reported it.
}

void Doctor::look_at_register() {
  if (options_.etcd.enabled()) return look_at_etcd();
  if (!options_.join.empty()) return look_at_contacts();
  if (std::string words = peer::elsewhere(directories_.state); !words.empty())
    return good(
        fmt::format("this machine's peers joined a group elsewhere: check it with {}", words));
  look_at_files();
}

void Doctor::look_at_contacts() {
  for (const std::string& address : options_.join) ask(address, address, tls_);
}

void Doctor::look_at_files() {
  if (!has_access_) return;  // `look_at_directories` has reported why.
  look_at_room();
  if (!std::filesystem::exists(directories_.state + "/chain")) return look_at_place_for_files();
  try {
    FileRegister reg(directories_.state, {});
    recovery::RegisterSnapshot snapshot = reg.read();
    good(fmt::format("the register in {} has view {}, epoch {}, {}; leases of {}",
                     directories_.state, snapshot.view.number, snapshot.view.epoch.value,
                     members_text(snapshot.view), milliseconds_text(reg.lease())));
    look_at_members(snapshot);
  } catch (const std::exception& error) {
    bad(error.what());
  }
}

/// The state directory, or its closest existing ancestor.
std::filesystem::path Doctor::place_for_files() const {
  std::filesystem::path there = directories_.state;
  while (!std::filesystem::exists(there)) there = there.parent_path();
  return there;
}

void Doctor::look_at_room() {
  std::error_code error;
  std::filesystem::path there = place_for_files();
  std::uintmax_t room = std::filesystem::space(there, error).available;
  if (!error && room < room_wanted)
    bad(
        fmt::format("the file system of {} is full: the register can neither admit nor remove "
                    "members; make room",
                    there.string()));
}

void Doctor::look_at_place_for_files() {
  std::filesystem::path there = place_for_files();
  std::string why = file::objection_to_file_system_at(there, directories_.state);
  if (why.empty()) why = peer::why_not_founded(group_, directories_.state);
  if (!why.empty()) return bad(why);
  good("there is no register here: the group's first peer will create it");
}

void Doctor::look_at_members(const recovery::RegisterSnapshot& snapshot) {
  for (const recovery::Member& member : snapshot.view.roster) {
    std::string name = wire::describe(member.life());
    if (snapshot.has_ended(member.life())) {
      doubtful(name + " is dead, or was silent for too long: the other members are removing it");
    } else {
      ask(name, member.address, tls_);
    }
  }
}

void Doctor::accept_restored() {
  if (!options_.etcd.enabled())
    return bad("--accept-restored is for etcd as the register: name it with --register");
  try {
    EtcdRegisterOptions etcd = peer::etcd_options(options_.etcd);
    etcd.group = group_;
    bool accepted = etcd::accept_restored(etcd, [&](Duration lease) {
      good(fmt::format("waiting for {}, until no earlier lock is held any more",
                       milliseconds_text(lease)));
    });
    if (accepted) return good("etcd's state is accepted: the peers rejoin by themselves");
    doubtful("there is nothing to accept: no peer has found a restored backup");
  } catch (const std::exception& error) {
    bad(error.what());
  }
}

/// Asks each member of the cluster by itself, and tests the right to write without writing: the
/// condition of the transaction never holds.
void Doctor::look_at_etcd() {
  etcd::KeyNames names(group_);
  etcd::Transaction probe{
      {{etcd::Condition::Of::creation, {names.terms()}, -1}},
      {etcd::Put{names.terms(), ""}},
      {etcd::Get{{names.terms()}}, etcd::Get{names.views(), true}, etcd::Get{{names.restored()}}}};
  std::optional<recovery::View> newest;
  std::string cluster;
  bool restored = false;
  for (const std::string& endpoint : options_.etcd.endpoints) {
    Time before = net::steady_now();
    try {
      EtcdRegisterOptions options = peer::etcd_options(options_.etcd);
      etcd::Client client(
          {{etcd::parse_endpoint(endpoint)}, options.tls, options.user, options.password});
      client.set_patience(probe_patience);
      etcd::TransactionResult outcome = client.transact(probe);
      good(fmt::format("etcd at {} answers in {}", endpoint,
                       milliseconds_text(net::steady_now() - before)));
      if (cluster.empty()) cluster = outcome.header.cluster;
      if (cluster != outcome.header.cluster)
        bad(endpoint + " belongs to another cluster than the first: two groups, and two holders");
      if (!outcome.found[1].empty())
        newest = file::view_file(outcome.found[1].front().value, outcome.found[1].front().key).view;
      restored = restored || !outcome.found[2].empty();
    } catch (const std::exception& error) {
      bad(fmt::format("etcd at {}: {}", endpoint, error.what()));
    }
  }
  if (cluster.empty()) return;
  if (restored) bad(etcd::restored_text);
  if (!newest)
    return good(fmt::format("etcd has no group '{}' yet: its first peer will create it", group_));
  good(fmt::format("etcd has view {} of the group '{}', epoch {}, {}", newest->number, group_,
                   newest->epoch.value, members_text(*newest)));
  look_at_members({*newest, {}});
}

}  // namespace conch::cli
