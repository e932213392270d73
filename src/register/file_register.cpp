#include "register/file_register.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "register/validate.hpp"

namespace conch {

using recovery::RegisterSnapshot;
using recovery::View;

namespace {

const FileRegisterOptions& sensible(const FileRegisterOptions& options) {
  if (options.lease <= Duration::zero() || options.segment_views == 0)
    throw std::invalid_argument("a lease is longer than zero, and a segment has some views");
  return options;
}

file::Directory local(const std::string& directory) {
  file::Directory opened(directory);
  opened.expect_local();
  return opened;
}

}  // namespace

FileRegister::FileRegister(const std::string& directory, const FileRegisterOptions& options)
    : steps_(sensible(options).steps),
      process_(::getpid()),
      root_(local(directory)),
      work_(root_),
      chain_(root_, work_, {"", options.segment_views, options.lease}, options.durable, steps_),
      leases_(root_, work_, chain_.terms().lease, steps_),
      alarm_(root_, options.inotify_after) {
  read();
}

void FileRegister::attach(const PeerInstance& life) {
  expect_usable();
  leases_.attach(life);
}

net::Descriptor FileRegister::proof(const PeerInstance& life) const {
  expect_no_fork();
  return leases_.proof(life);
}

RegisterSnapshot FileRegister::read() {
  expect_usable();
  return stand();
}

/// Begins the lease even for a proposal that will be refused: a newcomer's lease must not run out
/// while it tries. A life that a view mentions has had its lease already, and may have lost it.
ProposalResult FileRegister::propose(const View& next, const PeerInstance& by) {
  expect_usable();
  expect_sensible(next);
  const View& newest = chain_.newest();
  if (next.roster.contains(by) && !newest.mentions(by)) leases_.begin(by);
  bool accepted = false;
  if (next.number == newest.number + 1) {
    expect_no_way_back(newest, next);
    accepted = chain_.append(next);
    if (accepted) tidy();
  }
  if (!accepted) accepted = chain_.find(next.number) == next;
  return {accepted, stand()};
}

/// Renews first and reads the view afterwards. An evictor does it the other way round: it gets its
/// view accepted first and reads the leases afterwards. So either we see its view and know that we
/// are out, or it sees our lease and waits for its end.
///
/// The view is also read before, or an evicted life could renew its lease for ever.
bool FileRegister::renew(const PeerInstance& life) {
  expect_usable();
  if (!chain_.newest().has_tenant(life) || !leases_.prolong(life)) return false;
  steps_(file::CrashPoint::after_renewal);
  return chain_.newest().has_tenant(life);
}

void FileRegister::delay(const PeerInstance& life, Duration lock_delay) {
  expect_no_fork();
  leases_.delay(life, lock_delay);
}

void FileRegister::end(const PeerInstance& life) {
  expect_no_fork();
  leases_.end(life);
}

/// A lease that we end wakes ourselves, too, and only a new survey silences that.
RegisterSnapshot FileRegister::stand() {
  while (true) {
    std::uint64_t ended_before = leases_.ended_here();
    std::optional<RegisterSnapshot> snapshot = survey();
    if (snapshot && leases_.ended_here() == ended_before) return *snapshot;
  }
}

/// Reads the leases after the view; see `renew`. Empty if some leases had been removed by then,
/// because there is a newer view.
std::optional<RegisterSnapshot> FileRegister::survey() {
  alarm_.silence();
  const View* view = &chain_.newest();
  while (!alarm_.watch(chain_.growing_segment())) view = &chain_.newest();

  RegisterSnapshot snapshot{*view, {}};
  std::set<PeerInstance> running;
  std::optional<Duration> next_end;
  bool missed = false;
  for (const PeerInstance& life : view->lives()) {
    file::Judgement judgement = judge(life);
    if (judgement.ended) {
      snapshot.ended.push_back(life);
      continue;
    }
    missed = missed || judgement.missed;
    running.insert(life);
    next_end = std::min(next_end.value_or(judgement.until), judgement.until);
  }
  if (missed && chain_.newest().number != snapshot.view.number) return std::nullopt;
  alarm_.keep(running);
  alarm_.ring_at(next_end);
  return snapshot;
}

file::Judgement FileRegister::judge(const PeerInstance& life) {
  if (!alarm_.watches(life))
    if (net::Descriptor process = leases_.process(life)) alarm_.watch(life, std::move(process));
  return leases_.judge(life, alarm_.has_died(life));
}

void FileRegister::tidy() {
  chain_.prune();
  leases_.sweep([&](const PeerInstance& life) { return chain_.newest().mentions(life); });
  work_.sweep();
}

/// A register created anew at the same path knows nothing of what was decided here. So this one
/// decides nothing more and renews no lease; running leases end soon.
void FileRegister::expect_usable() const {
  expect_no_fork();
  if (root_.is_in_place()) return;
  throw RegisterError("the state directory " + root_.path() +
                      " was removed or replaced: this peer is stuck, and loses its locks when its "
                      "lease ends; put the directory back, or restart all peers");
}

void FileRegister::expect_no_fork() const {
  if (::getpid() != process_)
    throw std::logic_error("this register was opened before a fork; the child must open its own");
}

}  // namespace conch
