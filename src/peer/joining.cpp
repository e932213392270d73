#include "peer/joining.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "net/dial.hpp"
#include "peer/names.hpp"
#include "peer/register_choice.hpp"
#include "peer/saved_data.hpp"

namespace conch::peer {

using namespace recovery;
using namespace node;

namespace {

constexpr std::string_view default_algorithm = "naimi-trehel";
/// More than one contact, in case one is about to leave.
constexpr std::size_t contacts_max = 3;
/// Long enough for any peer that is alive.
constexpr Duration answer_patience = std::chrono::seconds(2);

std::string note_in(const std::string& folder) { return folder + "/ring"; }

std::optional<OverlayGroupSettings> noted_in(const std::string& folder) {
  std::ifstream file(note_in(folder));
  std::string line;
  std::getline(file, line);
  return parse_overlay_settings(line);
}

/// Takes the founding lock. Only its holder may look for other peers and conclude that there are
/// none.
net::Descriptor begin_founding(const std::string& folder, Duration patience,
                               const StopToken& give_up) {
  std::string path = folder + "/founding";
  net::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) throw Error(ErrorCode::misconfigured, fmt::format("cannot write {}", path));
  auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (give_up.stop_requested())
      throw Error("gave up while another peer of this machine was starting");
    if (std::chrono::steady_clock::now() > until)
      throw Error(
          "another peer of this machine is starting, and makes no progress: is it stopped?");
    // flock has no timeout.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return file;
}

std::string address_of(const std::string& folder, const PeerSocket& socket) {
  return wire::print(
      wire::Way(wire::UnixWay{net::LocalHost().boot(), socket_path(folder, socket)}));
}

const CatalogEntry& real_algorithm(const std::string& name) {
  const CatalogEntry& entry = find_algorithm(name);
  if (!entry.about.is_sound())
    throw Error(ErrorCode::bad_argument,
                fmt::format("{} is a specimen: it breaks {}. Choose another of `conch algorithms`",
                            name, entry.about.caught_by));
  return entry;
}

}  // namespace

net::Tls tls_of(const TlsOptions& options) {
  return {options.certificate, options.key, options.authority};
}

Joining::Joining(const PeerOptions& options, std::string group, Directories directories, Log log)
    : options_(options),
      group_(std::move(group)),
      directories_(std::move(directories)),
      log_(std::move(log)) {}

WayIn Joining::find() {
  check_register_options();
  View last;
  std::string algorithm = options_.algorithm;
  way_.eps = options_.eps;
  if (find_ring()) {
    algorithm = way_.ring->algorithm;
    way_.terms.length = way_.ring->lease;
  } else if (options_.join.empty()) {
    if (!options_.etcd.enabled()) expect_own_register();
    way_.reg = open_register(options_, group_, directories_);
    last = way_.reg->view();
    way_.terms.length = way_.reg->lease();
    if (algorithm.empty()) algorithm = last.algorithm;
  } else if (algorithm.empty()) {
    algorithm = who_is_there().algorithm;
  }
  if (way_.reg && options_.persist) expect_known_data(directories_.state + "/data");
  if (algorithm.empty()) algorithm = default_algorithm;
  way_.algorithm = way_.ring ? find_routed(algorithm) : &real_algorithm(algorithm);
  if (way_.reg && last.roster.empty()) found_again(last);
  check_ring_options();
  check_algorithm_options();
  return std::move(way_);
}

void Joining::check_algorithm_options() const {
  const About& about = way_.algorithm->about;
  if (options_.cluster == measured_cluster && !about.minds_clusters)
    throw Error(
        ErrorCode::misconfigured,
        fmt::format(
            "{} makes no use of distances: leave out --cluster auto, or use preempt-aggregation",
            about.name));
  if (options_.eps && !about.has_eps)
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} has no eps: leave it out, or use preempt-aggregation", about.name));
}

/// An empty group keeps its last settings, except where this peer insists on others.
void Joining::found_again(const View& last) {
  std::string_view algorithm = way_.algorithm->about.name;
  if (last.algorithm == algorithm && way_.algorithm->about.has_eps && !way_.eps)
    way_.eps = last.eps;
  if (last.number > 0 && last.algorithm != algorithm)
    log_(fmt::format("the group '{}' was empty, and ran {} before: it runs {} now", group_,
                     last.algorithm, algorithm),
         LogLevel::info);
}

/// Asks the addresses of `join` in turn and returns the first answer.
net::PeerInfo Joining::who_is_there() const {
  for (std::size_t i = 0;; ++i) {
    try {
      return net::ask_who(options_.join[i], group_, tls_of(options_.tls),
                          options_.admission_patience);
    } catch (const Error& error) {
      if (i + 1 == options_.join.size()) throw;
      log_(error.what(), LogLevel::warning);
    }
  }
}

void Joining::check_register_options() const {
  if (!options_.etcd.enabled()) return;
  if (!options_.join.empty())
    throw Error(
        ErrorCode::misconfigured,
        "a peer with etcd as its register finds the others there: leave out --join or --register");
  if (options_.persist)
    throw Error(ErrorCode::misconfigured,
                "the data of a group are kept on the machine that has its register: leave out "
                "--persist or --register");
}

void Joining::expect_own_register() const {
  std::string where = elsewhere(directories_.state);
  if (where.empty()) return;
  throw Error(
      ErrorCode::misconfigured,
      fmt::format("this machine's peers joined the group '{0}' elsewhere: start `conch peer "
                  "--group {0} {1}`; or, to create its register here, remove {2}/elsewhere",
                  group_, where, directories_.state));
}

/// Whether the group has no register, or will be founded without one.
bool Joining::find_ring() {
  if (!seek_ring()) return false;
  note_ring(directories_, *way_.ring);
  return true;
}

void Joining::note_ring(const Directories& directories, const node::OverlayGroupSettings& ring) {
  std::ofstream(note_in(directories.sockets)) << text_of(ring) << '\n';
}

bool Joining::seek_ring() {
  bool wanted = find_routed(options_.algorithm) != nullptr;
  bool open = wanted || options_.algorithm.empty();
  if (!options_.join.empty()) return open && find_ring_there();
  bool noted = std::filesystem::exists(note_in(directories_.sockets));
  if (!wanted && !noted) return false;
  way_.founding =
      begin_founding(directories_.sockets, options_.admission_patience, options_.give_up);
  if (find_ring_here()) return true;
  std::optional<OverlayGroupSettings> last = noted_in(directories_.sockets);
  bool again = last && options_.algorithm.empty() && !options_.etcd.enabled();
  if (!wanted && !again) {
    std::filesystem::remove(note_in(directories_.sockets));
    return false;
  }
  expect_own_register();
  way_.ring = wanted ? founding(insistence(), options_.lease.value_or(default_lease))
                     : founding_again(*last, insistence(), options_.lease);
  return true;
}

bool Joining::find_ring_there() {
  std::string failure;
  for (const std::string& address : options_.join) {
    try {
      net::PeerInfo there = net::ask_who(address, group_, tls_of(options_.tls),
                                         options_.admission_patience, {}, options_.give_up);
      if (is_register_group(there)) return false;
      meet_ring(there, address);
    } catch (const Error& error) {
      failure = error.what();
      if (options_.give_up.stop_requested()) break;
      if (options_.join.size() > 1) log_(failure, LogLevel::warning);
    }
  }
  if (!way_.ring) throw Error(failure);
  return true;
}

bool Joining::find_ring_here() {
  remove_abandoned_sockets(directories_.sockets);
  std::string failure;
  for (const PeerSocket& socket : sockets_in(directories_.sockets)) {
    if (way_.ring_contacts.size() == contacts_max) break;
    try {
      std::string address = address_of(directories_.sockets, socket);
      net::PeerInfo there =
          net::ask_who(address, group_, {}, answer_patience, {}, options_.give_up);
      if (is_register_group(there)) {
        std::filesystem::remove(note_in(directories_.sockets));
        return false;
      }
      meet_ring(there, "this machine");
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (!way_.ring && !failure.empty()) throw Error(failure);
  return way_.ring.has_value();
}

/// Whether the group has a register and this peer does not insist on an algorithm without one.
bool Joining::is_register_group(const net::PeerInfo& there) const {
  return !parse_overlay_settings(there.algorithm) && !find_routed(options_.algorithm);
}

/// Records a peer of the group as a contact. Throws Error if it runs something else.
void Joining::meet_ring(const net::PeerInfo& there, const std::string& place) {
  std::optional<OverlayGroupSettings> overlay_settings = parse_overlay_settings(there.algorithm);
  if (!overlay_settings)
    throw Error(ErrorCode::misconfigured,
                fmt::format("the group '{}' at {} runs {}, which needs a register, not {}", group_,
                            place, there.algorithm, options_.algorithm));
  expect_overlay_settings(insistence(), *overlay_settings, place);
  if (!way_.ring) way_.ring = overlay_settings;
  if (*way_.ring == *overlay_settings) way_.ring_contacts.push_back({there.life, there.address});
}

void Joining::check_ring_options() const {
  bool asked = !options_.dht.empty() || options_.replicas;
  if (!way_.ring && asked)
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} has neither an overlay nor replicas: leave out --dht and "
                            "--replicas, or use --algorithm end-to-end, sigma or non-end-to-end",
                            way_.algorithm->about.name));
  if (way_.ring && options_.etcd.enabled())
    throw Error(ErrorCode::misconfigured, fmt::format("{} needs no register: leave out --register",
                                                      way_.algorithm->about.name));
  if (way_.ring && options_.lock_delay > Duration::zero())
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} has no register to keep a lock delay in: leave it out",
                            way_.algorithm->about.name));
  if (way_.ring && options_.persist)
    throw Error(
        ErrorCode::misconfigured,
        fmt::format("{} carries no data to keep: leave out --persist", way_.algorithm->about.name));
}

/// Records how other peers of this machine reach the register, if it is not here.
void Joining::note_ring_index(const PeerOptions& options, const Directories& directories) {
  std::vector<std::string> words;
  if (options.etcd.enabled()) words = words_of(options.etcd);
  for (const std::string& address : options.join) words.push_back("--join " + address);
  if (!words.empty()) note_elsewhere(directories.state, words);
}

}  // namespace conch::peer
