#include "peer/engine.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "net/stream.hpp"
#include "node/charter.hpp"
#include "node/names.hpp"
#include "peer/boundary.hpp"
#include "peer/names.hpp"
#include "peer/trace_file.hpp"

namespace conch::peer {

using namespace recovery;
using node::PeerPhase;

namespace {

constexpr auto status_patience = std::chrono::seconds(5);
/// Practically for ever, yet far from where any clock overflows.
constexpr std::chrono::milliseconds option_max = std::chrono::years(10);

std::uint64_t draw() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error(ErrorCode::exhausted, "no random numbers");
  return number;
}

PeerOptions bounded(PeerOptions options) {
  for (auto* each : {&options.try_patience, &options.admission_patience})
    *each = std::min(*each, option_max);
  if (options.lease) options.lease = std::min(*options.lease, option_max);
  if (options.lock_delay.count() < 0 || options.lock_delay > lock_delay_max)
    throw Error(ErrorCode::bad_argument, "a lock delay must be between 0 and 24 hours");
  return options;
}

}  // namespace

std::optional<Time> until(Duration left) {
  return left == longest_wait ? std::nullopt : std::optional(net::steady_now() + left);
}

Engine::Engine(PeerOptions options, const Build& build)
    : options_(bounded(std::move(options))),
      build_(build),
      group_(group_named(options_.group)),
      cluster_(cluster_named(options_.cluster)),
      directories_(make_directories(group_, options_.state_directory)),
      mover_(*this),
      world_(*this, mover_, draw()),
      driver_(mutex_, *this) {
  check_cluster_name(cluster_);
  auto say = [this](const std::string& line, LogLevel level) { log(line, level); };
  if (!options_.trace.empty())
    trace_ = std::make_unique<TraceFile>(TraceFile::Options{
        .file = options_.trace, .log = [this](const std::string& line) { log(line); }});
  open(Joining(options_, group_, directories_, say).find());
  driver_.start(sockets());
  try {
    come_in();
    note_ring_index();
  } catch (...) {
    stop();
    throw;
  }
}

Engine::~Engine() { leave(); }

void Engine::open(WayIn way) {
  world_.be_present(directories_.state);
  PeerInstance life{NodeId{draw()}, world_.draw_incarnation({})};
  SocketRole role = options_.serves_clients ? SocketRole::host : SocketRole::peer;
  net::SocketsOptions sockets;
  sockets.socket = socket_path(directories_.sockets, {role, life.id});
  sockets.listen = options_.listen;
  sockets.advertise = options_.advertise;
  sockets.tls = tls_of(options_.tls);
  sockets.insecure = options_.insecure;
  sockets.tcp_only = options_.tcp_only;
  sockets.log = [this](const std::string& line) { log(line); };
  // A peer without a life serves no data: it drops the stream, which hangs up.
  sockets.stream_came = [this](const PeerInstance& from, net::Stream stream) {
    if (node_->has_life()) mover_.serve(from, std::move(stream));
  };
  remove_some_abandoned_sockets(directories_.sockets);
  world_.open(std::move(sockets));
  listens_ = this->sockets().listens();
  bool is_adaptive = options_.cluster == measured_cluster && !way.ring;
  Member self{life.id,     life.incarnation, this->sockets().address(), false, cluster_,
              is_adaptive, build_.speaks};
  node_.emplace(node::NodeOptions{.group = group_,
                                  .algorithm = way.algorithm,
                                  .self = std::move(self),
                                  .ring = std::move(way.ring),
                                  .ring_contacts = std::move(way.ring_contacts),
                                  .terms = way.terms,
                                  .eps = way.eps,
                                  .has_register = way.reg != nullptr,
                                  .join = options_.join,
                                  .serves_clients = options_.serves_clients,
                                  .try_patience = options_.try_patience,
                                  .lock_delay = options_.lock_delay,
                                  .policy = build_.policy},
                world_, this->sockets());
  if (trace_) node_->watch(*trace_);
  if (way.reg)
    world_.open(std::move(way.reg), static_cast<RegisterListener&>(*this), options_.serves_clients);
}

/// Waits until the peer is a member.
void Engine::come_in() {
  // Made before the guard is taken: its destructor may wait for a running callback, which takes the
  // guard.
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
      throw Error(fmt::format("gave up before joining the group '{}'", group_));
    return has_come();
  };
  if (!world_.has_register() && !node_->is_ring()) {
    node_->seek(net::steady_now());
    driver_.rouse_background();
    if (!await_phase([&] { return node_->has_terms(); }))
      throw Error(
          fmt::format("no answer from {}: is a peer of the group '{}' running there, and does it "
                      "require TLS (--tls-cert, --tls-key, --tls-ca)?",
                      options_.join.front(), group_));
  }
  node_->start(net::steady_now());
  settle();
  driver_.rouse_background();
  bool decided = await_phase([&] { return node_->phase() != PeerPhase::joining; });
  if (node_->phase() == PeerPhase::failed) throw Error(ErrorCode::misconfigured, node_->failure());
  if (!decided || !node_->is_member()) throw Error(why_not_admitted());
  Duration lease = node_->lease_length();
  if (options_.lease && *options_.lease != lease)
    log(fmt::format("ignored a lease of {}: the group '{}' keeps the {} that it was created with",
                    *options_.lease, group_,
                    std::chrono::duration_cast<std::chrono::milliseconds>(lease)));
  phase_changed_.wait(guard, [&] { return node_->is_restored() || !node_->is_member(); });
}

std::string Engine::why_not_admitted() const {
  std::string why = fmt::format("this peer was not admitted to the group '{}' within {} ms", group_,
                                options_.admission_patience.count());
  std::string objection = options_.lock_delay.count() > 0 ? node_->why_no_lock_delay() : "";
  if (!objection.empty()) return why + ": " + objection;
  return node_->trouble().empty() ? why : why + ": " + node_->trouble();
}

/// Tells peers that start later on this machine how to find the group.
void Engine::note_ring_index() const {
  if (node_->is_ring()) Joining::note_ring(directories_, *node_->options().ring);
  Joining::note_ring_index(options_, directories_);
}

/// Makes the Unix socket again if it was removed, perhaps with its folder: otherwise peers
/// that start later would not find this one. If the register's directory is gone, too, makes
/// nothing in its place, so that it can still be put back.
void Engine::keep_house() {
  if (sockets().has_socket_file()) return;
  bool has_files = world_.has_register() && !options_.etcd.enabled();
  if (has_files && !std::filesystem::exists(directories_.state)) return;
  try {
    make_directories(group_, options_.state_directory);
    sockets().listen_again();
    note_ring_index();
    socket_trouble_.clear();
    log(fmt::format("this peer's socket was removed from {}; created it again",
                    directories_.sockets));
  } catch (const Error& error) {
    if (std::exchange(socket_trouble_, error.what()) != error.what()) log(error.what());
  }
}

// Leaving.

void Engine::leave() {
  if (node_) {
    Guard guard(mutex_);
    node_->leave(net::steady_now());
    settle();
    while (node_->phase() == PeerPhase::leaving) {
      phase_changed_.wait_for(guard, node_->wakes() - net::steady_now());
      look_at_clock();
    }
  }
  stop();
}

void Engine::stop() {
  if (!driver_.is_running()) return;
  driver_.stop();
  mover_.stop();
  world_.close_register();
  Guard guard(mutex_);
  node_->end();
  driver_.await_nobody(guard);
  node_->tell([](Observer& observer) { observer.gone(); });
  node_->unwatch_all();
  trace_.reset();
  node_->channels().abandon();
  world_.close();
  try {
    remove_some_abandoned_sockets(directories_.sockets);
  } catch (const Error& error) {
    log(error.what());
  }
}

// The work of the driving thread.

void Engine::settle(Time now) {
  if (!world_.sockets()) return node_->forget_all();  // The peer has stopped.
  node_->settle(now);
  driver_.rouse();
}

void Engine::work(const net::Readiness& ready) {
  sockets().work(ready, node_->channels());
  Time now = net::steady_now();
  node_->tick(now);
  settle(now);
  driver_.ring_again();
  beat_if_due(now);
}

Time Engine::wakes() const {
  return std::min({node_->wakes(), world_.sockets()->wakes(), next_beat_});
}

void Engine::look_at_clock() {
  Time now = net::steady_now();
  node_->tick(now);
  settle(now);
}

void Engine::listen() {
  if (!node_->has_company()) return;
  if (net::Readiness ready = sockets().wait(Time::min()); ready.count > 0) work(ready);
}

void Engine::beat_every(Duration period, std::function<void()> beat) {
  beat_period_ = period;
  beat_ = std::move(beat);
  next_beat_ = net::steady_now();
  driver_.rouse();
}

/// A peer that its group has refused can do nothing more, so its beat stops.
void Engine::beat_if_due(Time now) {
  if (now < next_beat_) return;
  bool has_failed = node_->phase() == PeerPhase::failed;
  next_beat_ = has_failed ? Time::max() : now + beat_period_;
  if (!has_failed) beat_();
}

// Events of the register.

void Engine::answered(const PeerInstance& asker, const RegisterAnswer& answer) {
  std::lock_guard guard(mutex_);
  if (driver_.is_stopping()) return;
  node_->answered(asker, answer, net::steady_now());
  settle();
}

void Engine::register_changed() {
  std::lock_guard guard(mutex_);
  if (driver_.is_stopping()) return;
  node_->register_changed(net::steady_now());
  settle();
}

void Engine::register_trouble(const std::string& why) {
  std::lock_guard guard(mutex_);
  node_->register_trouble(why);
}

// Calls by threads.

LocalLock& Engine::open_local_lock(const std::string& lock) {
  node::check_lock_name(lock);
  std::lock_guard guard(mutex_);
  LocalLock& local_lock = node_->local_lock_at(lock);
  ++local_lock.users;
  return local_lock;
}

void Engine::close_local_lock(LocalLock& local_lock) {
  std::lock_guard guard(mutex_);
  node_->close_local_lock(local_lock);
}

void Engine::request(Claim& claim, LocalLock& local_lock, const Guard&) {
  if (node_->is_member() && node_->group_member().has_token(local_lock.name)) listen();
  if (!node_->is_member()) fail_because_left();
  Time now = net::steady_now();
  node_->take_place(claim, local_lock, now);
  settle(now);
}

void Engine::wait(ThreadClaim& claim, const Deadline& deadline, Guard& guard) {
  Time asked = claim.asked;
  while (claim.state == Claim::State::waiting && claim.asked == asked) {
    Duration left = deadline.left();
    if (left == Duration::zero()) return;
    wait(claim, until(left), guard);
  }
}

void Engine::give_up(Claim& claim, const Guard&) {
  bool lets_go = claim.is_command() && claim.state == Claim::State::lost;
  if (!claim.has_place() && !lets_go) return void(claim.state = Claim::State::idle);
  if (claim.state == Claim::State::inside) listen();
  Time now = net::steady_now();
  node_->drop_place(claim, now);
  settle(now);
}

void Engine::tell_data(std::uint64_t sent, std::uint64_t received) {
  if (sent > 0) node_->tell([&](Observer& observer) { observer.data_sent(sent); });
  if (received > 0) node_->tell([&](Observer& observer) { observer.data_received(received); });
}

// Status.

node::Status Engine::status() {
  auto promise = std::make_shared<std::promise<node::Status>>();
  std::future<node::Status> answer = promise->get_future();
  {
    Guard guard = this->guard();
    if (!node_->is_member()) fail_because_left();
    Time now = net::steady_now();
    node_->status_survey().ask(
        [promise](node::Status status) { promise->set_value(std::move(status)); }, now);
    settle(now);
  }
  if (answer.wait_for(status_patience) != std::future_status::ready)
    throw Error("the peer does not answer");
  return answer.get();
}

node::Status Engine::status_here() {
  Guard guard = this->guard();
  return node_->status_here(net::steady_now());
}

std::future<node::Claims> Engine::ask_claims() {
  auto promise = std::make_shared<std::promise<node::Claims>>();
  Guard guard = this->guard();
  Time now = net::steady_now();
  node_->claim_survey().ask(
      [promise](node::Claims claims) { promise->set_value(std::move(claims)); }, now);
  settle(now);
  return promise->get_future();
}

void Engine::watch(Observer& observer) {
  Guard guard = this->guard();
  node_->watch(observer);
}

void Engine::unwatch(Observer& observer) {
  Guard guard = this->guard();
  node_->unwatch(observer);
}

PeerInstance Engine::life() const {
  std::lock_guard guard(mutex_);
  return node_->self();
}

std::string Engine::data_folder() const {
  return options_.persist && world_.has_register() ? directories_.state + "/data" : "";
}

std::string Engine::why_not_shared() const {
  return node_->algorithm().can.shared ? "" : node_->why_not_shared();
}

void Engine::expect_sharing() const {
  if (std::string why = why_not_shared(); !why.empty())
    throw Error(ErrorCode::unsupported, in_words_of(options_.option_names, why));
}

std::string Engine::why_no_data() const {
  if (!node_->is_ring()) return "";
  return fmt::format(
      "the locks of {} carry no data, as no view says who has the newest; start the group with an "
      "algorithm that has a register, such as naimi-trehel",
      node_->algorithm().about.name);
}

void Engine::log(const std::string& line, LogLevel level) const {
  std::string text = in_words_of(options_.option_names, line);
  if (options_.log) return options_.log({level, text});
  fmt::print(stderr, "conch: {}\n", text);
}

void Engine::fail_because_left() const {
  throw Error(ErrorCode::left, fmt::format("this peer has left the group '{}'", group_));
}

void Engine::fail_because_forked() {
  throw Error(ErrorCode::forked,
              "this belongs to the process that this one was forked from: join the group again, "
              "after the fork");
}

}  // namespace conch::peer
