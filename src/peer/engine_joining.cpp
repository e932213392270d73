// How a peer comes into its group: where the group is, whom to ask, and how long to wait.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "peer/claim_survey.hpp"
#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "peer/register_choice.hpp"

namespace conch::peer {

using namespace recovery;

/// A group that is empty goes on with what it had, but for what this peer insists on.
void Engine::found_again(const View& last) {
  std::string_view algorithm = algorithm_->about.name;
  if (last.algorithm == algorithm && algorithm_->about.has_eps && !options_.eps)
    options_.eps = last.eps;
  if (last.number > 0 && last.algorithm != algorithm)
    log(fmt::format("the group '{}' was empty, and had run {}: it runs {} now", group_,
                    last.algorithm, algorithm),
        LogLevel::info);
}

/// Where this peer joins, whoever answers.
net::Acquaintance Engine::who_is_there() const {
  for (std::size_t i = 0;; ++i) {
    try {
      return net::ask_who(options_.join[i], group_, tls_of(options_.tls),
                          options_.admission_patience);
    } catch (const Error& error) {
      if (i + 1 == options_.join.size()) throw;
      log(error.what());
    }
  }
}

void Engine::check_register_options() const {
  if (!options_.etcd.enabled()) return;
  if (!options_.join.empty())
    throw Error(ErrorCode::misconfigured,
                "a peer that asks etcd finds the others there: leave out --join, or --register");
  if (options_.persist)
    throw Error(
        ErrorCode::misconfigured,
        "the data of a group are kept on the machine that has its register: leave out --persist, "
        "or --register");
}

/// How another peer of this machine gets into the group, if its register is not here.
std::vector<std::string> Engine::way_in() const {
  if (options_.etcd.enabled()) return words_of(options_.etcd);
  std::vector<std::string> words;
  for (const std::string& address : options_.join) words.push_back("--join " + address);
  return words;
}

void Engine::expect_own_register() const {
  std::string where = elsewhere(directories_.state);
  if (where.empty()) return;
  throw Error(
      ErrorCode::misconfigured,
      fmt::format("on this machine the group '{0}' was joined from elsewhere: start `conch peer "
                  "--group {0} {1}`; or, if it is to have a register here, remove {2}/elsewhere",
                  group_, where, directories_.state));
}

void Engine::open_courier() {
  net::CourierOptions courier;
  courier.self = life_;
  courier.group = group_;
  courier.algorithm = ring_ ? text_of(*ring_) : algorithm_->about.name;
  Role role = options_.serves_clients ? Role::host : Role::peer;
  courier.socket = socket_path(directories_.sockets, {role, life_.id});
  courier.listen = options_.listen;
  courier.advertise = options_.advertise;
  courier.tls = tls_of(options_.tls);
  courier.insecure = options_.insecure;
  courier.tcp_only = options_.tcp_only;
  courier.log = [this](const std::string& line) { log(line); };
  remove_abandoned_sockets(directories_.sockets);
  courier_ = std::make_unique<net::Courier>(std::move(courier));
  listens_ = courier_->listens();
}

/// Somebody may have removed the socket with its folder: those who come later would not find this
/// peer. If the register has gone as well, nothing is made in its place, or nobody could put it
/// back.
void Engine::look_after_socket() {
  if (courier_->has_socket_file()) return;
  bool has_files = register_ && !options_.etcd.enabled();
  if (has_files && !std::filesystem::exists(directories_.state)) return;
  try {
    make_directories(group_, options_.state_directory);
    courier_->listen_again();
    note_whereabouts();
    socket_trouble_.clear();
    log(fmt::format("somebody removed this peer's socket from {}: made it again",
                    directories_.sockets));
  } catch (const Error& error) {
    if (std::exchange(socket_trouble_, error.what()) != error.what()) log(error.what());
  }
}

/// For those on this machine who come later.
void Engine::note_whereabouts() const {
  if (is_ring()) note_ring();
  if (std::vector<std::string> words = way_in(); !words.empty())
    note_elsewhere(directories_.state, words);
}

/// Waits until the peer is a member.
void Engine::come_in() {
  // Before the guard: it waits for a call that waits for the guard.
  std::stop_callback on_stop(options_.give_up, [this] {
    std::lock_guard notify_no_earlier(mutex_);
    phase_changed_.notify_all();
  });
  auto deadline = std::chrono::steady_clock::now() + options_.admission_patience;
  Guard guard(mutex_);
  auto await_phase = [&](auto&& has_come) {
    phase_changed_.wait_until(guard, deadline,
                              [&] { return has_come() || options_.give_up.stop_requested(); });
    if (!has_come() && options_.give_up.stop_requested())
      throw Error(fmt::format("gave up before it was in the group '{}'", group_));
    return has_come();
  };
  if (!register_ && !is_ring()) {
    for (const std::string& address : options_.join) courier_->contact(address);
    rouse_background();
    if (!await_phase([&] { return has_terms_; }))
      throw Error(
          fmt::format("nobody answers at {}: does a peer of the group '{}' run there, and "
                      "does it want TLS (--tls-cert, --tls-key, --tls-ca)?",
                      options_.join.front(), group_));
  }
  be_born();
  settle(net::steady_now());
  rouse_background();
  bool decided = await_phase([&] { return phase_ != Phase::joining; });
  if (!decided) failure_ = why_not_admitted();
  if (phase_ == Phase::failed) throw Error(ErrorCode::misconfigured, failure_);
  if (phase_ != Phase::member) throw Error(failure_);
  if (options_.lease && *options_.lease != terms_.length)
    log(fmt::format("a lease of {} is ignored: the group '{}' keeps the {} it was founded with",
                    *options_.lease, group_,
                    std::chrono::duration_cast<std::chrono::milliseconds>(terms_.length)));
  data_->restore(guard);
}

std::string Engine::why_not_admitted() const {
  std::string why = fmt::format("this peer was not admitted to the group '{}' within {} ms", group_,
                                options_.admission_patience.count());
  std::string objection = lock_delay_ > Duration::zero() ? why_no_lock_delay() : "";
  if (!objection.empty()) return why + ": " + objection;
  return trouble_.empty() ? why : why + ": " + trouble_;
}

/// Those who asked the register for the last life may have new lives themselves, of which only the
/// register could tell. Who is still there says so; and meanwhile there is nobody, so that the
/// addresses to join at are tried, too.
void Engine::find_contacts_again() {
  contacts_.clear();
  contacts_sought_ = net::steady_now();
  if (register_ || is_ring()) return;
  for (const auto& [life, unmentioned] : known_lives_) ask_terms(life);
}

bool Engine::knows_lock_delays(const Life& contact) const {
  return courier_->version_with(contact) >= claims_version;
}

/// The next one each time, for one may be gone; nobody, if none knows what is asked. Who speaks
/// version 1 would take a lock delay for nonsense, and put this peer out.
const Life* Engine::next_contact(const Ask& ask) {
  bool is_delayed = std::holds_alternative<RenewDelayed>(ask.question);
  for (std::size_t tried = 0; tried < contacts_.size(); ++tried) {
    const Life& contact = contacts_[contact_turn_++ % contacts_.size()];
    if (!is_delayed || knows_lock_delays(contact)) return &contact;
  }
  return nullptr;
}

std::string Engine::why_no_lock_delay() const {
  if (is_ring()) return "this group has no register that could remember a lock delay: leave it out";
  bool is_known =
      register_ || std::any_of(contacts_.begin(), contacts_.end(),
                               [&](const Life& each) { return knows_lock_delays(each); });
  if (is_known) return "";
  return "the members that have the register are of a release without lock delays: leave it out, "
         "or install this release there first";
}

}  // namespace conch::peer
