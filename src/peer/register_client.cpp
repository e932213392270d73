#include "peer/register_client.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <conch/error.hpp>
#include <ranges>
#include <utility>

#include "net/patience.hpp"
#include "register/epoch_floor.hpp"
#include "wire/back_off.hpp"

namespace conch::peer {

using namespace recovery;

namespace {

/// Identifies a kind of failure regardless of the file, whose name may differ each time.
std::string kind_of_failure(const std::exception& error) {
  const auto* of_register = dynamic_cast<const RegisterError*>(&error);
  bool has_number = of_register && of_register->error() != 0;
  return has_number ? std::to_string(of_register->error()) : error.what();
}

}  // namespace

RegisterClient::RegisterClient(std::unique_ptr<Register> reg, RegisterListener& listener,
                               bool proves)
    : register_(std::move(reg)),
      listener_(listener),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      proves_(proves) {
  if (!wake_)
    throw Error(ErrorCode::exhausted,
                "this process has too many open files: no event descriptor is left");
  thread_ = std::thread([this] { run(); });
}

RegisterClient::~RegisterClient() {
  close();
  try {
    for (const PeerInstance& life : std::views::reverse(lives_)) register_->end(life);
  } catch (const std::exception&) {  // The leases then end by themselves, with this process or when
                                     // they expire.
  }
}

void RegisterClient::close() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard guard(mutex_);
    closing_ = true;
    jobs_.clear();  // Threads that wait for a proof get an error.
  }
  ::eventfd_write(wake_.number(), 1);
  thread_.join();
}

void RegisterClient::put(Job job) {
  std::lock_guard guard(mutex_);
  if (closing_) return;
  auto same = [&](const Job& other) { return job.topic && other.topic == job.topic; };
  if (auto older = std::find_if(jobs_.begin(), jobs_.end(), same); older != jobs_.end()) {
    *older = std::move(job);
    return;
  }
  jobs_.push_back(std::move(job));
  ::eventfd_write(wake_.number(), 1);
}

void RegisterClient::attach(const PeerInstance& life) {
  put({[this, life](Register&) {
    unattached_.push_back(life);
    attach_all();
    return false;
  }});
}

/// Retries lives that could not be attached before: otherwise nobody would notice their deaths.
void RegisterClient::attach_all() {
  while (!unattached_.empty()) {
    register_->attach(unattached_.front());
    lives_.push_back(unattached_.front());
    unattached_.erase(unattached_.begin());
  }
}

void RegisterClient::ask(const PeerInstance& asker, RegisterRequest ask) {
  auto asked = std::chrono::steady_clock::now();
  Topic topic{asker, ask.question.index()};
  put({[this, asker, ask = std::move(ask), asked](Register& reg) {
         // While the register is unavailable, questions stay queued longer than their askers wait.
         if (std::chrono::steady_clock::now() - asked >= reg.lease()) return false;
         answer(asker, ask);
         return true;
       },
       topic});
}

void RegisterClient::end(const PeerInstance& life) {
  put({[life](Register& reg) { return reg.end(life), true; }});
}

net::Descriptor RegisterClient::proof(const PeerInstance& life) {
  auto promise = std::make_shared<std::promise<net::Descriptor>>();
  put({[promise, life](Register& reg) {
    try {
      promise->set_value(reg.proof(life));
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
    return false;
  }});
  std::future<net::Descriptor> proof = promise->get_future();
  promise.reset();
  try {
    return proof.get();
  } catch (const std::future_error&) {
    throw Error("the peer has stopped, and no longer prolongs its lease");
  }
}

int RegisterClient::known_proof(const PeerInstance& life) {
  std::lock_guard guard(mutex_);
  return proof_.first == life ? proof_.second.number() : -1;
}

void RegisterClient::prove(const PeerInstance& life) {
  bool is_ours = std::find(lives_.begin(), lives_.end(), life) != lives_.end();
  if (!is_ours || proof_.first == life) return;
  net::Descriptor proof = register_->proof(life);
  std::lock_guard guard(mutex_);
  proof_ = {life, std::move(proof)};
}

void RegisterClient::run() {
  while (work()) {
    if (!troubles_.empty()) {
      rest();
    } else if (!await_event()) {
      continue;
    }
    has_read_ = false;
    listener_.register_changed();
    work();
    // Unread news would wake this thread again and again, so read them if the listener did not.
    if (!has_read_) put({[](Register& reg) { return reg.read(), true; }});
  }
}

/// Waits for news from the register (true) or for a job (false).
bool RegisterClient::await_event() {
  rests_ = 0;
  std::array<pollfd, 2> sources{
      {{wake_.number(), POLLIN, 0}, {register_->descriptor(), POLLIN, 0}}};
  ::poll(sources.data(), sources.size(), -1);
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.number(), &ignored);
  return (sources[1].revents & POLLIN) != 0;
}

/// Backs off longer and longer while the register fails, but never so long that a lease runs out
/// although the register works again.
void RegisterClient::rest() {
  Time until = net::steady_now() + std::min(wire::back_off(++rests_), register_->lease() / 8);
  while (!is_closing() && net::steady_now() < until) {
    pollfd wake{wake_.number(), POLLIN, 0};
    ::poll(&wake, 1, net::milliseconds_until(until));
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.number(), &ignored);
  }
}

bool RegisterClient::is_closing() {
  std::lock_guard guard(mutex_);
  return closing_;
}

/// Works through the queue. Returns false once the client closes.
bool RegisterClient::work() {
  while (true) {
    Job job;
    {
      std::lock_guard guard(mutex_);
      if (closing_) return false;
      if (jobs_.empty()) return true;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      if (job.work(*register_)) succeeded(job);
    } catch (const std::exception& error) {
      failed(job, error);
    }
  }
}

void RegisterClient::answer(const PeerInstance& asker, const RegisterRequest& ask) {
  attach_all();
  ProposalResult verdict;
  if (const auto* propose = std::get_if<Propose>(&ask.question)) {
    verdict = register_->propose(propose->view, asker);
  } else if (const auto* renew = std::get_if<RenewLease>(&ask.question)) {
    verdict = renew_and_read(renew->life);
  } else if (const auto* delayed = std::get_if<RenewDelayed>(&ask.question)) {
    register_->delay(delayed->life, delayed->lock_delay);
    verdict = renew_and_read(delayed->life);
  } else if (const auto* joins = std::get_if<AnnounceJoin>(&ask.question)) {
    verdict = {true, register_->announce(joins->newcomer)};
  } else if (const auto* leaves = std::get_if<AnnounceLeave>(&ask.question)) {
    verdict = {true, register_->announce_leave(leaves->life)};
  } else {
    verdict = {true, register_->read()};
    has_read_ = true;
  }
  verdict.snapshot.epoch_floor = epoch_floor();
  listener_.answered(
      asker, {ask.number, verdict.accepted, std::move(verdict.snapshot), register_->waiting()});
}

ProposalResult RegisterClient::renew_and_read(const PeerInstance& life) {
  ProposalResult verdict = register_->renew_and_read(life);
  if (proves_ && verdict.accepted) prove(life);
  has_read_ = true;
  return verdict;
}

void RegisterClient::failed(const Job& job, const std::exception& error) {
  std::string kind = kind_of_failure(error);
  auto is_known = [&](const auto& each) { return each.second.kind == kind; };
  bool known = std::any_of(troubles_.begin(), troubles_.end(), is_known);
  troubles_[kind_of(job)] = {kind, net::steady_now()};
  if (!known) listener_.register_trouble(error.what());
}

/// Also forgets old failures of other kinds of questions, which may work again by now.
void RegisterClient::succeeded(const Job& job) {
  if (troubles_.empty()) return;
  Time long_ago = net::steady_now() - register_->lease();
  std::erase_if(troubles_, [&](const auto& each) {
    return each.first == kind_of(job) || each.second.when < long_ago;
  });
  if (troubles_.empty()) listener_.register_trouble("");
}

}  // namespace conch::peer
