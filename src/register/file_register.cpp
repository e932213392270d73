#include "register/file_register.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "recovery/watching.hpp"
#include "register/clock.hpp"
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
      waiting_room_(root_, work_, [this](const auto& life) { return leases_.is_alive(life); }),
      alarm_(root_, options.inotify_after) {
  chain_.newest();
}

void FileRegister::attach(const PeerInstance& life) {
  expect_usable();
  leases_.attach(life);
  if (own_) others_.insert(*own_);
  own_ = life;
  leaves_ = false;
}

net::Descriptor FileRegister::proof(const PeerInstance& life) const {
  expect_no_fork();
  return leases_.proof(life);
}

RegisterSnapshot FileRegister::read() {
  expect_usable();
  return stand();
}

View FileRegister::view() {
  expect_usable();
  return chain_.newest();
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
    if (recovery::puts_out(next, newest)) {
      RegisterSnapshot known = stand(Extent::all);
      bool is_late = next.number != known.view.number + 1;
      if (is_late || spares_the_dead(next, known)) return {false, std::move(known)};
    }
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
  if (life != own_) others_.insert(life);
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

RegisterSnapshot FileRegister::announce(const recovery::Newcomer& newcomer) {
  expect_usable();
  leases_.begin(newcomer.member.life());
  if (joins_ != newcomer) waiting_room_.enter(newcomer);
  joins_ = newcomer;
  return stand();
}

RegisterSnapshot FileRegister::announce_leave(const PeerInstance& life) {
  expect_usable();
  if (!leaves_) waiting_room_.enter_to_leave(life);
  leaves_ = life == own_;
  return stand();
}

/// A lease that we end wakes ourselves, too, and only a new survey silences that.
RegisterSnapshot FileRegister::stand(Extent extent) {
  while (true) {
    std::uint64_t ended_before = leases_.ended_here();
    std::optional<RegisterSnapshot> snapshot = survey(extent);
    if (snapshot && leases_.ended_here() == ended_before) return *snapshot;
  }
}

/// Reads the leases after the view; see `renew`. Empty if some leases had been removed by then,
/// because there is a newer view.
std::optional<RegisterSnapshot> FileRegister::survey(Extent extent) {
  alarm_.silence();
  const View* view = &chain_.newest();
  while (!alarm_.watch(chain_.growing_segment())) view = &chain_.newest();

  RegisterSnapshot snapshot{*view, {}};
  Running running;
  look_after(snapshot.view, running);
  if (running.missed && chain_.newest().number != snapshot.view.number) return std::nullopt;
  running_ = std::move(running);
  if (extent == Extent::all) look_at_the_rest(snapshot.view);
  snapshot.ended.assign(ended_.begin(), ended_.end());
  set_alarm();
  return snapshot;
}

/// Judges the leases that this object is to be woken for.
void FileRegister::look_after(const View& view, Running& running) {
  auto is_unmentioned = [&](const PeerInstance& life) { return !view.mentions(life); };
  std::erase_if(ended_, is_unmentioned);
  std::erase_if(others_, is_unmentioned);
  auto judge_one = [&](const PeerInstance& life) { return has_ended(life, running); };
  if (!own_ && others_.empty())
    for (const PeerInstance& life : view.lives()) judge_one(life);
  auto walk_for = [&](const PeerInstance& speaker) {
    if (view.mentions(speaker)) judge_one(speaker);
    recovery::walk_watched(view, speaker, judge_one);
  };
  if (own_) walk_for(*own_);
  for (const PeerInstance& speaker : others_) walk_for(speaker);
}

void FileRegister::set_alarm() {
  std::set<PeerInstance> lives;
  std::optional<Duration> next_end;
  for (const auto& [life, judgement] : running_.leases) {
    lives.insert(life);
    next_end = std::min(next_end.value_or(judgement.until), judgement.until);
  }
  alarm_.keep(lives);
  alarm_.ring_at(next_end);
}

void FileRegister::look_at_the_rest(const View& view) {
  for (const PeerInstance& life : view.lives())
    if (!running_.leases.contains(life) && !ended_.contains(life) &&
        leases_.judge(life, false).ended)
      ended_.insert(life);
}

bool FileRegister::has_ended(const PeerInstance& life, Running& running) {
  if (ended_.contains(life)) return true;
  if (running.leases.contains(life)) return false;
  auto known = running_.leases.find(life);
  bool is_known = known != running_.leases.end() && alarm_.is_calm(life) &&
                  file::since_boot() < known->second.until && leases_.has_process(life);
  file::Judgement judgement = is_known ? known->second : judge(life);
  if (judgement.ended) return ended_.insert(life), true;
  running.leases[life] = judgement;
  running.missed = running.missed || judgement.missed;
  return false;
}

recovery::Waiting FileRegister::waiting() {
  const View& view = chain_.known();
  bool waits = own_ && (leaves_ || !view.roster.contains(*own_));
  if (!waits) return {};
  recovery::Waiting waiting = waiting_room_.look(view, *own_);
  waiting.view_age = chain_.age();
  return waiting;
}

file::Judgement FileRegister::judge(const PeerInstance& life) {
  alarm_.watch_end(life, file::name_of_life(life));
  if (!alarm_.watches_process(life))
    if (net::Descriptor process = leases_.process(life))
      alarm_.watch_process(life, std::move(process));
  return leases_.judge(life, alarm_.has_died(life));
}

void FileRegister::tidy() {
  chain_.prune();
  leases_.sweep([&](const PeerInstance& life) { return chain_.newest().mentions(life); });
  waiting_room_.sweep(chain_.newest());
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
