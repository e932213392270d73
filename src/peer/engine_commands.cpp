// Commands that run under locks of this peer: what their keepers get, and how they are waited for.
#include <fcntl.h>

#include "net/courier.hpp"
#include "peer/engine.hpp"
#include "peer/inquiries.hpp"

namespace conch::peer {

using namespace recovery;

// What keepers get.

file::Descriptor Engine::proof() {
  return register_ ? register_->proof(life()) : file::Descriptor();
}

file::Descriptor Engine::lease_page() {
  if (is_ring()) return {};
  if (!lease_page_) {
    lease_page_ = std::make_unique<file::LeasePage>(terms_.length);
    show_lease();
  }
  return file::Descriptor(::fcntl(lease_page_->descriptor(), F_DUPFD_CLOEXEC, 0));
}

std::vector<net::Descriptor> Engine::pledges() {
  std::vector<net::Descriptor> all;
  auto add = [&](int descriptor) {
    net::Descriptor copy(descriptor < 0 ? -1 : ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (copy) all.push_back(std::move(copy));
  };
  add(lease_page().number());
  if (!all.empty() && register_) add(register_->known_proof(life_));
  return all;
}

/// The lease counts on the steady clock, which stands still while the machine sleeps; the others'
/// does not. Of the two clocks the one is read first that makes the lease seem shorter if this
/// process is stopped in between.
void Engine::show_lease() {
  if (!lease_page_ || !steward_) return;
  file::BootTime now = file::BootClock::now();
  if (auto until = steward_->lease_until())
    lease_page_->prolong(now + (*until - net::steady_now()));
}

// Letting go.

template <class M>
void Engine::tell_asker(const Life& asker, PayloadKind kind, const M& m) {
  if (asker == life_) return inquiries_->told(asker, m);
  courier_->send(asker, packed(kind, m));
}

/// Whether somebody is inside who lets go by itself, but not at once.
bool Engine::ask_to_let_go() {
  bool somebody = false;
  for (auto& [name, desk] : desks_)
    for (Claim* claim : desk->queue.inside()) {
      claim->asked_to_let_go();
      somebody = somebody || claim->is_command();
    }
  return somebody;
}

/// Its command has gone. The last one of a life that was put out: nobody need wait for its lease.
void Engine::let_go(Claim& claim) {
  bool entered = claim.state == Claim::State::inside || claim.state == Claim::State::lost;
  auto found = entered ? commands_.find(claim.life) : commands_.end();
  if (found == commands_.end()) return;
  for (Vacancy& vacancy : vacancies_) std::erase(vacancy.claims, &claim);
  std::erase_if(vacancies_, [&](const Vacancy& vacancy) {
    if (vacancy.claims.empty()) tell_asker(vacancy.asker, PayloadKind::vacated, vacancy.answer);
    return vacancy.claims.empty();
  });
  if (--found->second > 0) return;
  commands_.erase(found);
  if (claim.life == life_) return steward_->hold_fast(false);
  if (register_) register_->end(claim.life);
}

void Engine::vacate(const Life& asker, const Vacate& m) {
  Vacancy vacancy{asker, {m.number}, {}};
  if (LockDesk* desk = find_desk(m.lock)) {
    for (Claim* claim : desk->queue.inside()) {
      if (claim->is_command()) vacancy.claims.push_back(claim);
      vacancy.answer.holds = vacancy.answer.holds || !claim->is_command();
      claim->asked_to_let_go();
    }
  }
  vacancy.answer.ended = vacancy.claims.size();
  if (vacancy.claims.empty()) return tell_asker(asker, PayloadKind::vacated, vacancy.answer);
  tell_asker(asker, PayloadKind::vacates, Vacates{m.number, command_patience()});
  vacancies_.push_back(std::move(vacancy));
}

bool Engine::delay_locks(Duration lock_delay, Time now) {
  lock_delay_ = std::max(lock_delay_, lock_delay);
  steward_->delay_locks(now, lock_delay_, effects_);
  return lock_delay <= steward_->recorded_lock_delay();
}

}  // namespace conch::peer
