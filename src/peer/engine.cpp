#include "peer/engine.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "peer/boundary.hpp"
#include "peer/claim_survey.hpp"
#include "peer/clients.hpp"
#include "peer/data_desk.hpp"
#include "peer/directories.hpp"
#include "peer/inquiries.hpp"
#include "peer/names.hpp"
#include "peer/rangefinder.hpp"
#include "peer/register_choice.hpp"
#include "peer/saved_data.hpp"
#include "peer/trace_file.hpp"

namespace conch::peer {

using namespace recovery;
using std::chrono::seconds;

namespace {

constexpr Duration leave_patience = seconds(10);
/// As good as for ever, and far from the end of any clock.
constexpr std::chrono::milliseconds option_max = std::chrono::years(10);
constexpr std::string_view default_algorithm = "naimi-trehel";

std::uint64_t draw() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error(ErrorCode::exhausted, "no randomness");
  return number;
}

/// No other process draws the same: no two of one id start within a nanosecond.
Incarnation draw_incarnation(Incarnation before) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto count = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
  return Incarnation{std::max(count, static_cast<std::uint64_t>(before) + 1)};
}

const CatalogEntry& real_algorithm(const std::string& name) {
  const CatalogEntry& entry = find_algorithm(name);
  if (entry.about.use != Use::real)
    throw Error(ErrorCode::bad_argument,
                fmt::format("{} is a specimen: it breaks {}. Choose another of `conch algorithms`",
                            name, entry.about.caught_by));
  return entry;
}

PeerOptions bounded(PeerOptions options) {
  for (auto* each : {&options.try_patience, &options.admission_patience})
    *each = std::min(*each, option_max);
  if (options.lease) options.lease = std::min(*options.lease, option_max);
  return options;
}

}  // namespace

net::Tls tls_of(const TlsOptions& options) {
  return {options.certificate, options.key, options.authority};
}

std::optional<Time> until(Duration left) {
  return left == longest_wait ? std::nullopt : std::optional(net::steady_now() + left);
}

Engine::Engine(PeerOptions options)
    : options_(bounded(std::move(options))),
      group_(group_named(options_.group)),
      cluster_(cluster_named(options_.cluster)),
      directories_(make_directories(group_, options_.state_directory)),
      life_{NodeId{draw()}, draw_incarnation({})},
      dice_(static_cast<std::minstd_rand::result_type>(draw())),
      background_wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      takeover_timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!background_wake_ || !takeover_timer_)
    throw Error(ErrorCode::exhausted, "this process has too many open files: raise `ulimit -n`");
  check_cluster_name(cluster_);
  clients_ = std::make_unique<Clients>(*this);
  inquiries_ = std::make_unique<Inquiries>(*this);
  claim_survey_ = std::make_unique<ClaimSurvey>(*this);
  rangefinder_ = std::make_unique<Rangefinder>(*this);
  data_ = std::make_unique<DataDesk>(*this);
  if (!options_.trace.empty()) {
    trace_ = std::make_unique<TraceFile>(TraceFile::Options{
        .file = options_.trace, .log = [this](const std::string& line) { log(line); }});
    watch(*trace_);
  }
  lock_delay_ = options_.lock_delay;
  if (lock_delay_ < Duration::zero() || lock_delay_ > recovery::lock_delay_max)
    throw Error(ErrorCode::bad_argument, "a lock delay is between 0 and 24 hours");
  check_register_options();
  std::unique_ptr<Register> reg;
  View last;
  std::string algorithm = options_.algorithm;
  if (find_ring()) {
    algorithm = ring_->algorithm;
  } else if (options_.join.empty()) {
    if (!options_.etcd.enabled()) expect_own_register();
    reg = open_register(options_, group_, directories_);
    last = reg->read().view;
    terms_.length = reg->lease();
    if (algorithm.empty()) algorithm = last.algorithm;
  } else if (algorithm.empty()) {
    algorithm = who_is_there().algorithm;
  }
  if (reg && options_.persist) expect_known_data(directories_.state + "/data");
  presence_.emplace(directories_.state);
  if (algorithm.empty()) algorithm = default_algorithm;
  algorithm_ = is_ring() ? find_routed(algorithm) : &real_algorithm(algorithm);
  if (reg && last.roster.empty()) found_again(last);
  check_ring_options();
  if (is_adaptive() && !algorithm_->about.minds_clusters)
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} does not mind who is near: leave out --cluster auto, or take "
                            "preempt-aggregation",
                            algorithm_->about.name));
  if (options_.eps && !algorithm_->about.has_eps)
    throw Error(ErrorCode::misconfigured,
                fmt::format("{} has no eps: leave it out, or take preempt-aggregation",
                            algorithm_->about.name));
  open_courier();
  founding_ = {};
  if (reg)
    register_ = std::make_unique<RegisterDesk>(
        std::move(reg), static_cast<RegisterListener&>(*this), options_.serves_clients);
  thread_ = std::thread([this] { background(); });
  try {
    come_in();
    note_whereabouts();
  } catch (...) {
    stop();
    throw;
  }
}

Engine::~Engine() { leave(); }

/// Begins a life: the first, or one after an expulsion.
void Engine::be_born() {
  if (steward_) {  // The first is the one in which it has introduced itself.
    life_.incarnation = draw_incarnation(life_.incarnation);
    courier_->live_as(life_);
    find_contacts_again();
  }
  lease_page_.reset();
  born_ = net::steady_now();
  tell([&](Witness& witness) { witness.born(life_); });
  followed_view_ = 0;
  timers_.clear();
  if (register_) register_->attach(life_);
  if (is_ring()) return be_born_in_ring();
  auto tell_copies = [this](AnySteward& steward, Time now, Effects& out) {
    data_->tell_copies(steward, now, out);
  };
  Member self{life_.id, life_.incarnation, courier_->address(), false, cluster_, is_adaptive()};
  steward_ = make_steward(*algorithm_, {self, terms_, options_.eps, tell_copies});
  steward_->delay_locks(born_, lock_delay_, effects_);
  steward_->start(born_, effects_);
  next_housekeeping_ = contacts_sought_ = born_;
  for (auto& [name, desk] : desks_) touch(*desk);
}

Life Engine::life() const {
  std::lock_guard guard(mutex_);
  return life_;
}

void Engine::enter_phase(Phase phase) {
  phase_ = phase;
  phase_changed_.notify_all();
}

void Engine::leave() {
  {
    Guard guard(mutex_);
    bool was_member = phase_ == Phase::member;
    Time until = net::steady_now() + leave_patience;
    if (was_member || phase_ == Phase::joining) {
      enter_phase(Phase::leaving);
      refuse_waiting();
      if (ask_to_let_go()) {
        settle(net::steady_now());
        // Keepers end their commands within the lease.
        phase_changed_.wait_for(guard, command_patience(), [&] { return !ask_to_let_go(); });
      }
      turn_everybody_out();
      settle(net::steady_now());
    }
    if (was_member) data_->bequeath(until, guard);
    may_leave_ = true;
    if (phase_ == Phase::leaving) settle(net::steady_now());
    bool left =
        phase_changed_.wait_for(guard, leave_patience, [&] { return phase_ != Phase::leaving; });
    if (!left) log("could not leave in time: its lease ends as if it had crashed");
  }
  stop();
}

void Engine::refuse_waiting() {
  for (auto& [name, desk] : desks_) {
    for (Claim* claim : std::vector(desk->queue.waiting())) {
      desk->queue.remove(*claim);
      tell_end(*claim, net::steady_now());
      claim->state = Claim::State::refused;
      claim->changed();
    }
    touch(*desk);
  }
}

/// Nobody of this process holds or waits for anything any more.
void Engine::turn_everybody_out() {
  refuse_waiting();
  for (auto& [name, desk] : desks_) {
    for (Claim* claim : std::vector(desk->queue.inside())) {
      desk->queue.remove(*claim);
      tell([&](Witness& witness) {
        witness.lost(name, claim->mode, claim->held(net::steady_now()));
      });
      claim->state = Claim::State::lost;
      claim->changed();
    }
    touch(*desk);
  }
}

/// A peer leaves when nothing is held, waited for or being withdrawn.
void Engine::leave_if_idle(Time now) {
  if (phase_ != Phase::leaving || !may_leave_ || asked_to_leave_) return;
  for (const auto& [name, desk] : desks_)
    if (!desk->queue.idle()) return;
  asked_to_leave_ = true;
  bool inside = steward_->stage() != Stage::outside && steward_->stage() != Stage::out;
  if (!inside) return enter_phase(Phase::gone);
  steward_->leave(now, effects_);
}

void Engine::stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard guard(mutex_);
    stopping_ = true;
    if (phase_ != Phase::failed) enter_phase(Phase::gone);
    rouse_background();
  }
  thread_.join();
  data_->stop();
  if (register_) register_->close();
  Guard guard(mutex_);
  register_.reset();
  presence_.reset();
  phase_changed_.wait(guard, [&] { return waiting_threads_.empty(); });
  tell([](Witness& witness) { witness.gone(); });
  witnesses_.clear();
  trace_.reset();
  courier_.reset();
  try {
    remove_abandoned_sockets(directories_.sockets);
  } catch (const Error& error) {
    log(error.what());
  }
}

void Engine::log(const std::string& line, LogLevel level) const {
  std::string text = in_words_of(options_.option_names, line);
  if (options_.log) return options_.log({level, text});
  fmt::print(stderr, "conch: {}\n", text);
}

// Threads.

LockDesk& Engine::open_desk(const std::string& lock) {
  check_lock_name(lock);
  std::lock_guard guard(mutex_);
  LockDesk& desk = desk_at(lock);
  ++desk.users;
  return desk;
}

void Engine::close_desk(LockDesk& desk) {
  std::lock_guard guard(mutex_);
  if (--desk.users == 0 && desk.queue.idle()) desks_.erase(desks_.find(desk.name));
}

LockDesk* Engine::find_desk(std::string_view lock) {
  auto found = desks_.find(lock);
  return found == desks_.end() ? nullptr : found->second.get();
}

LockDesk& Engine::desk_at(const std::string& lock) {
  std::unique_ptr<LockDesk>& desk = desks_[lock];
  if (!desk) desk = std::make_unique<LockDesk>(lock);
  return *desk;
}

/// Those of clients, who do not close them.
void Engine::drop_idle_desks() {
  std::erase_if(desks_, [](const auto& each) {
    const LockDesk& desk = *each.second;
    return desk.users == 0 && desk.queue.idle() && !desk.touched;
  });
}

void Engine::touch(LockDesk& desk) {
  if (std::exchange(desk.touched, true)) return;
  touched_.push_back(&desk);
}

void Engine::request(Claim& claim, LockDesk& desk, const Guard&) {
  if (is_member() && steward_->has_token(desk.name)) listen();
  if (!is_member()) fail_because_left();
  Time now = net::steady_now();
  take_place(claim, desk, now);
  settle(now);
}

void Engine::listen() {
  if (steward_->view().roster.size() < 2) return;
  if (net::Readiness ready = courier_->wait(Time::min()); ready.count > 0) work(ready);
}

void Engine::take_place(Claim& claim, LockDesk& desk, Time now) {
  claim.state = Claim::State::waiting;
  claim.asked = now;
  claim.before = desk.traffic;
  claim.desk = &desk;
  desk.queue.add(claim);
  tell([&](Witness& witness) { witness.asked(desk.name, claim.mode); });
  touch(desk);
}

void Engine::give_up(Claim& claim, const Guard&) {
  bool lets_go = claim.is_command() && claim.state == Claim::State::lost;
  if (!claim.has_place() && !lets_go) return void(claim.state = Claim::State::idle);
  if (claim.state == Claim::State::inside) listen();
  drop_place(claim);
  settle(net::steady_now());
}

void Engine::drop_place(Claim& claim) {
  if (!witnesses_.empty()) tell_end(claim, net::steady_now());
  if (claim.is_command()) let_go(claim);
  claim.state = Claim::State::idle;
  claim.desk->queue.remove(claim);
  touch(*claim.desk);
  if (phase_ == Phase::leaving) phase_changed_.notify_all();
}

/// By its own will.
void Engine::tell_end(const Claim& claim, Time now) {
  const std::string& lock = claim.desk->name;
  tell([&](Witness& witness) {
    if (claim.state == Claim::State::inside) witness.left(lock, claim.mode, claim.held(now));
    if (claim.state == Claim::State::waiting) witness.withdrew(lock, claim.mode);
  });
}

std::string Engine::data_folder() const {
  return options_.persist && register_ ? directories_.state + "/data" : "";
}

void Engine::tell_copies() {
  Time now = net::steady_now();
  data_->tell_copies(*steward_, now, effects_);
  settle(now);
}

std::string Engine::why_not_shared() const {
  return fmt::format(
      "{} lets nobody share a lock; start the group with --algorithm elmp or central",
      algorithm_->about.name);
}

void Engine::expect_sharing() const {
  if (!algorithm_->can.shared)
    throw Error(ErrorCode::unsupported, in_words_of(options_.option_names, why_not_shared()));
}

void Engine::fail_because_left() const {
  throw Error(ErrorCode::left, fmt::format("this peer has left the group '{}'", group_));
}

void Engine::fail_because_forked() {
  throw Error(ErrorCode::forked,
              "this belongs to the process that this one was forked from: join the group anew, "
              "after the fork");
}

void Engine::call_later(std::function<void()> callback) {
  callbacks_.push_back(std::move(callback));
  rouse_background();
}

}  // namespace conch::peer
