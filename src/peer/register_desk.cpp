#include "peer/register_desk.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <conch/error.hpp>
#include <ranges>
#include <utility>

#include "register/epoch_floor.hpp"

namespace conch::peer {

using namespace recovery;

namespace {
constexpr int look_again_ms = 200;
}

RegisterDesk::RegisterDesk(std::unique_ptr<Register> reg, RegisterListener& listener)
    : register_(std::move(reg)),
      listener_(listener),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw Error("this process has too many open files: no event descriptor is left");
  thread_ = std::thread([this] { run(); });
}

RegisterDesk::~RegisterDesk() {
  close();
  try {
    for (const Life& life : std::views::reverse(lives_)) register_->end(life);
  } catch (const std::exception&) {  // Then they end by themselves, with this process or by time.
  }
}

void RegisterDesk::close() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard guard(mutex_);
    closing_ = true;
  }
  ::eventfd_write(wake_.number(), 1);
  thread_.join();
}

void RegisterDesk::put(Job job) {
  std::lock_guard guard(mutex_);
  auto same = [&](const Job& other) { return job.topic && other.topic == job.topic; };
  if (auto older = std::find_if(jobs_.begin(), jobs_.end(), same); older != jobs_.end()) {
    *older = std::move(job);
    return;
  }
  jobs_.push_back(std::move(job));
  ::eventfd_write(wake_.number(), 1);
}

void RegisterDesk::attach(const Life& life) {
  put({[this, life](Register& reg) {
    reg.attach(life);
    lives_.push_back(life);
    return false;
  }});
}

void RegisterDesk::ask(const Life& asker, Ask ask) {
  auto asked = std::chrono::steady_clock::now();
  Topic topic{asker, ask.question.index()};
  put({[this, asker, ask = std::move(ask), asked](Register& reg) {
         // While a register is away, questions wait longer than anybody waits for the answers.
         if (std::chrono::steady_clock::now() - asked >= reg.lease()) return false;
         answer(asker, ask);
         return true;
       },
       topic});
}

file::Descriptor RegisterDesk::proof(const Life& life) {
  auto promise = std::make_shared<std::promise<file::Descriptor>>();
  put({[promise, life](Register& reg) {
    try {
      promise->set_value(reg.proof(life));
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
    return false;
  }});
  return promise->get_future().get();
}

void RegisterDesk::run() {
  while (work()) {
    if (!await_event()) continue;
    has_read_ = false;
    listener_.register_changed();
    work();
    // Nobody wanted to know. What is not read would wake us again and again.
    if (!has_read_) put({[](Register& reg) { return reg.read(), true; }});
  }
}

/// Whether the register has something new. While it is in trouble, one looks now and then.
bool RegisterDesk::await_event() {
  bool troubled = !trouble_.empty();
  std::array<pollfd, 2> sources{
      {{wake_.number(), POLLIN, 0}, {register_->descriptor(), POLLIN, 0}}};
  ::poll(sources.data(), troubled ? 1 : 2, troubled ? look_again_ms : -1);
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.number(), &ignored);
  return troubled || (sources[1].revents & POLLIN) != 0;
}

/// What there is to do, until the desk closes: then false.
bool RegisterDesk::work() {
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
      if (job.work(*register_)) report("");
    } catch (const std::exception& error) {
      report(error.what());
    }
  }
}

void RegisterDesk::answer(const Life& asker, const Ask& ask) {
  Verdict verdict;
  if (const auto* propose = std::get_if<Propose>(&ask.question)) {
    verdict = register_->propose(propose->view, asker);
  } else if (const auto* renew = std::get_if<Renew>(&ask.question)) {
    verdict = register_->renew_and_read(renew->life);
    has_read_ = true;
  } else {
    verdict = {true, register_->read()};
    has_read_ = true;
  }
  verdict.standing.epoch_floor = epoch_floor();
  listener_.answered(asker, {ask.number, verdict.accepted, std::move(verdict.standing)});
}

void RegisterDesk::report(const std::string& trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  listener_.register_trouble(trouble);
}

}  // namespace conch::peer
