#include "register/etcd_register.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "register/clock.hpp"
#include "register/etcd_restored.hpp"
#include "register/validate.hpp"

namespace conch {

using etcd::Condition;
using etcd::EtcdLease;
using etcd::Get;
using etcd::Item;
using etcd::Put;
using etcd::Remove;
using etcd::Transaction;
using etcd::TransactionResult;
using recovery::RegisterSnapshot;
using recovery::View;

namespace {

/// How many views are remembered.
constexpr std::uint64_t views_kept = 64;
/// How long etcd remembers that a life existed; a mark may expire after half of it.
constexpr std::chrono::seconds burial_time = std::chrono::hours(1);
/// How many dead lives one proposal removes: etcd takes at most 128 operations in a transaction,
/// and each removal takes two.
constexpr std::size_t burials_max = 50;
constexpr Duration patience_min = std::chrono::milliseconds(100);
constexpr Duration silence_min = std::chrono::seconds(1);

const std::string remedy =
    "restore etcd from a backup, or stop all peers and delete the keys of the group";

Condition created(etcd::Keys keys, std::int64_t revision) {
  return {Condition::Of::creation, std::move(keys), revision};
}
Condition absent(etcd::Keys keys) { return created(std::move(keys), 0); }
Condition running(const std::string& key, Duration lock_delay) {
  return {Condition::Of::value, {key}, 0, etcd::running_value(lock_delay)};
}
Put run(const std::string& key, Duration lock_delay = {}) {
  return {key, etcd::running_value(lock_delay)};
}
Put end_of(const std::string& key) { return {key, std::string(etcd::ended_value)}; }

etcd::ClientOptions client_options(const EtcdRegisterOptions& options) {
  if (options.lease <= Duration::zero()) throw std::invalid_argument("a lease is longer than zero");
  etcd::ClientOptions client{{}, options.tls, options.user, options.password};
  for (const std::string& endpoint : options.endpoints)
    client.endpoints.push_back(etcd::parse_endpoint(endpoint));
  return client;
}

Duration patience_of(const EtcdRegisterOptions& options, Duration lease) {
  return options.patience.value_or(std::max(lease / 8, patience_min));
}

void include(const net::Descriptor& epoll, int source) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (!epoll || ::epoll_ctl(epoll.number(), EPOLL_CTL_ADD, source, &event) != 0)
    throw RegisterError("this process has too many open files: raise `ulimit -n`");
}

}  // namespace

EtcdRegister::EtcdRegister(const EtcdRegisterOptions& options)
    : options_(options),
      process_(::getpid()),
      names_(options.group),
      client_(client_options(options)),
      terms_(agree(options)),
      ledger_(terms_.lease),
      descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {
  include(descriptor_, ledger_.descriptor());
  if (!options.neighbours.empty()) {
    neighbours_.emplace(options.neighbours);
    include(descriptor_, neighbours_->descriptor());
  }
  client_.set_patience(patience_of(options, terms_.lease));
  TransactionResult first = look();
  cluster_ = first.header.cluster;
  stand(first.header.revision);
  watch_from(first.header.revision + 1);
}

void EtcdRegister::watch_from(std::int64_t revision) {
  watch_.emplace(etcd::Watch::Options{client_options(options_), patience_of(options_, terms_.lease),
                                      cluster_, revision, std::max(terms_.lease, silence_min)},
                 names_, ledger_);
}

/// The first client's lease duration applies to all.
file::ChainFile EtcdRegister::agree(const EtcdRegisterOptions& options) {
  file::ChainFile wanted{"", views_kept, options.lease};
  client_.set_patience(patience_of(options, options.lease));
  std::string key = names_.terms();
  TransactionResult outcome = client_.transact(
      {{absent({key})}, {Put{key, file::to_bytes(wanted)}, Get{{key}}}, {Get{{key}}}});
  const std::vector<Item>& found = outcome.found.front();
  if (found.empty()) throw RegisterError("etcd has lost " + key + "; " + remedy);
  file::ChainFile terms = file::chain_file(found.front().value, key, remedy);
  if (!terms.valid()) throw RegisterError(key + " is malformed; " + remedy);
  return terms;
}

std::vector<Condition> EtcdRegister::nothing_new() const {
  std::vector<Condition> all{absent(names_.views_from(newest_.number + 1)),
                             absent({names_.restored()})};
  if (newest_.number > 0) all.push_back(created({names_.view(newest_.number)}, newest_revision_));
  return all;
}

void EtcdRegister::attach(const PeerInstance& life) {
  expect_no_fork();
  if (neighbours_) neighbours_->attach(life);
}

// Restored backups.

/// Every request goes through this, so that nothing is decided on an older state than the known
/// one.
TransactionResult EtcdRegister::ask(const Transaction& transaction) {
  if (went_back_) expect_acceptance();
  try {
    return client_.transact(transaction);
  } catch (const etcd::WentBack&) {
    went_back_ = true;
    expect_acceptance();
    return client_.transact(transaction);
  }
}

/// Accepting a restored state puts a view above all known ones. A peer that knows a newer view than
/// that has seen etcd go back once more.
void EtcdRegister::expect_acceptance() {
  client_.forget_revision();
  TransactionResult outcome =
      client_.transact({{}, {Get{{names_.restored()}}, Get{names_.views(), true}}, {}});
  const std::vector<Item>& found = outcome.found[1];
  View stored = found.empty() ? View{} : view_in(found.front());
  bool is_ahead = stored.number > newest_.number && stored.epoch > newest_.epoch;
  if (!outcome.found[0].empty() || !is_ahead) {
    leave_mark(outcome.found[0]);
    throw RegisterError(etcd::restored_text);
  }
  went_back_ = false;
  ledger_.forget();
  if (watch_) watch_from(outcome.header.revision + 1);
}

/// Leaves the mark for all peers, including those that start later.
void EtcdRegister::leave_mark(const std::vector<Item>& mark) {
  etcd::SeenBeforeRestore lost{newest_.number, newest_.epoch};
  std::string key = names_.restored();
  if (mark.empty()) {
    client_.transact({{absent({key})}, {Put{key, etcd::to_text(lost)}}, {}});
    return;
  }
  etcd::SeenBeforeRestore known = etcd::lost_in(mark.front());
  etcd::SeenBeforeRestore both{std::max(known.number, lost.number),
                               std::max(known.epoch, lost.epoch)};
  if (both == known) return;
  client_.transact({{{Condition::Of::value, {key}, 0, mark.front().value}},
                    {Put{key, etcd::to_text(both)}},
                    {}});
}

// Reading.

/// Reads all leases, and the newest view if it is not the one we know, at one revision.
TransactionResult EtcdRegister::look() {
  TransactionResult outcome = ask({nothing_new(),
                                   {Get{names_.leases()}},
                                   {Get{names_.leases()}, Get{names_.views(), true}, mark()}});
  if (!outcome.succeeded) take_changes(outcome.found[1], outcome.found[2]);
  take_leases(outcome.found[0], outcome.header.revision);
  return outcome;
}

RegisterSnapshot EtcdRegister::read() {
  expect_no_fork();
  return stand(look().header.revision);
}

/// Summarises what was read at this revision.
RegisterSnapshot EtcdRegister::stand(std::int64_t revision) {
  RegisterSnapshot snapshot{newest_, {}};
  for (const PeerInstance& life : newest_.lives())
    if (has_ended(life)) snapshot.ended.push_back(life);
  if (neighbours_) neighbours_->keep(newest_);
  ledger_.told(newest_, revision);
  return snapshot;
}

/// A life that is dead may have renewed just before it died, so this looks again.
bool EtcdRegister::has_ended(const PeerInstance& life) {
  while (true) {
    EtcdLease lease = ledger_.find(life);
    if (lease.state == EtcdLease::State::ended) return true;
    bool died =
        lease.state == EtcdLease::State::running && neighbours_ && neighbours_->has_died(life);
    if (!died && !ledger_.is_over(lease)) return false;
    if (finish(life, lease)) return true;
    if (!died) return false;
  }
}

/// Ends the lease if it is still as we have seen it, and says whether it has ended.
bool EtcdRegister::finish(const PeerInstance& life, const EtcdLease& lease) {
  std::string key = names_.lease(life);
  Transaction ending{{}, {end_of(key)}, {Get{{key}}}};
  if (lease.state == EtcdLease::State::missing) {
    ending.when = nothing_new();
    ending.when.push_back(absent({key}));
  } else {
    ending.when = {{Condition::Of::change, {key}, lease.revision}};
  }
  TransactionResult outcome = ask(ending);
  if (outcome.succeeded) {
    ledger_.saw(life, EtcdLease::State::ended, outcome.header.revision);
  } else {
    take_lease(life, outcome);
  }
  return ledger_.find(life).state == EtcdLease::State::ended;
}

View EtcdRegister::view_in(const Item& item) const {
  View view = file::view_file(item.value, item.key, remedy).view;
  if (names_.view_in(item.key) != view.number || !view.valid() || !view.roster.valid())
    throw RegisterError(item.key + " is malformed; " + remedy);
  return view;
}

void EtcdRegister::take_view(const std::vector<Item>& found) {
  View view = found.empty() ? View{} : view_in(found.front());
  went_back_ = view.number < newest_.number || (view.number == newest_.number && view.number > 0 &&
                                                found.front().created != newest_revision_);
  if (went_back_) throw RegisterError(etcd::restored_text);
  newest_ = std::move(view);
  newest_revision_ = found.empty() ? 0 : found.front().created;
}

/// Takes in why the state is not the one we know: there is another view, or a peer has noticed a
/// restored backup.
void EtcdRegister::take_changes(const std::vector<Item>& views, const std::vector<Item>& mark) {
  if (!mark.empty()) throw RegisterError(etcd::restored_text);
  take_view(views);
}

void EtcdRegister::take_leases(const std::vector<Item>& found, std::int64_t revision) {
  std::map<PeerInstance, etcd::LeaseLedger::Seen> all;
  for (const Item& item : found)
    if (auto life = names_.lease_in(item.key))
      all[*life] = {etcd::state_in(item.value), item.changed, etcd::lock_delay_in(item.value)};
  ledger_.saw_all(all, newest_, revision);
}

/// Records what was found at the key of one lease.
void EtcdRegister::take_lease(const PeerInstance& life, const TransactionResult& outcome) {
  const std::vector<Item>& found = outcome.found.front();
  if (found.empty()) return ledger_.saw(life, EtcdLease::State::missing, outcome.header.revision);
  ledger_.saw(life, etcd::state_in(found.front().value), found.front().changed,
              etcd::lock_delay_in(found.front().value));
}

// Deciding.

/// The newcomer's lease begins in the same transaction: no lease exists without a view that
/// mentions its life.
ProposalResult EtcdRegister::propose(const View& next, const PeerInstance& by) {
  expect_no_fork();
  expect_sensible(next);
  if (next.number > newest_.number + 1) look();
  std::optional<bool> accepted;
  while (!accepted && next.number == newest_.number + 1) {
    expect_no_way_back(newest_, next);
    bool begins = next.roster.contains(by) && !newest_.mentions(by);
    accepted = try_to_append(next, begins ? &by : nullptr);
    // A life that existed before does not begin again: it joins without a lease.
    if (!accepted && begins && next.number == newest_.number + 1)
      accepted = try_to_append(next, nullptr);
  }
  if (!accepted) accepted = was_accepted(next);
  return {*accepted, stand(look().header.revision)};
}

/// Empty if there is another view by now, or if the newcomer existed before. Whatever was found is
/// recorded.
std::optional<bool> EtcdRegister::try_to_append(const View& next, const PeerInstance* newcomer) {
  std::string key = names_.view(next.number);
  std::string bytes = file::to_bytes(file::ViewFile{next, ""});
  if (bytes.size() > file::view_bytes_max)
    throw std::invalid_argument("a view of " + std::to_string(bytes.size()) + " bytes, and " +
                                std::to_string(file::view_bytes_max) + " are possible");
  Transaction append{
      nothing_new(), {Put{key, std::move(bytes)}}, {Get{names_.views(), true}, mark()}};
  if (newcomer) {
    append.when.push_back(absent({names_.lease(*newcomer)}));
    append.when.push_back(absent({names_.gone(*newcomer)}));
    append.then.push_back(run(names_.lease(*newcomer)));
  }
  if (next.number > views_kept)
    append.then.push_back(Remove{names_.view(next.number - views_kept)});
  for (const PeerInstance& dead : ledger_.strangers(next, burials_max)) {
    append.then.push_back(Remove{names_.lease(dead)});
    append.then.push_back(Put{names_.gone(dead), "", burial_lease()});
  }
  TransactionResult outcome = carry_out(append);
  if (!outcome.succeeded) {
    take_changes(outcome.found[0], outcome.found[1]);
    return std::nullopt;
  }
  newest_ = next;
  newest_revision_ = outcome.header.revision;
  return true;
}

TransactionResult EtcdRegister::carry_out(const Transaction& append) {
  try {
    return ask(append);
  } catch (const etcd::EtcdRefusal& refusal) {
    if (refusal.code() == etcd::code_not_found) burial_lease_.reset();  // It was revoked.
    throw;
  }
}

/// The proposal may have been accepted although the answer was lost.
bool EtcdRegister::was_accepted(const View& next) {
  TransactionResult outcome = ask({{}, {Get{{names_.view(next.number)}}}});
  const std::vector<Item>& found = outcome.found.front();
  return !found.empty() && view_in(found.front()) == next;
}

/// One etcd lease serves many marks.
std::int64_t EtcdRegister::burial_lease() {
  Duration now = file::since_boot();
  if (!burial_lease_ || burial_lease_->second + burial_time / 2 < now)
    burial_lease_ = {client_.grant(burial_time), now};
  return burial_lease_->first;
}

// Leases.

bool EtcdRegister::renew(const PeerInstance& life) { return prolong(life).yes; }

ProposalResult EtcdRegister::renew_and_read(const PeerInstance& life) {
  auto [yes, revision] = prolong(life);
  return {yes, stand(revision)};
}

/// Renews in a transaction that also checks the view, so an evicted life renews nothing.
EtcdRegister::Prolonged EtcdRegister::prolong(const PeerInstance& life) {
  expect_no_fork();
  std::string key = names_.lease(life);
  std::optional<std::int64_t> revision;
  while (newest_.has_tenant(life) || !revision) {
    if (!newest_.has_tenant(life)) {
      revision = look().header.revision;
      continue;
    }
    EtcdLease lease = ledger_.find(life);
    if (ledger_.is_over(lease)) finish(life, lease);
    Duration lock_delay = std::max(lease.lock_delay, wanted_delay(life));
    Transaction renewal{nothing_new(),
                        {run(key, lock_delay), Get{names_.leases()}},
                        {Get{names_.leases()}, Get{names_.views(), true}, mark()}};
    renewal.when.push_back(running(key, lease.lock_delay));
    TransactionResult outcome = ask(renewal);
    revision = outcome.header.revision;
    if (!outcome.succeeded) take_changes(outcome.found[1], outcome.found[2]);
    take_leases(outcome.found[0], *revision);
    if (outcome.succeeded) return {true, *revision};
    if (ledger_.find(life).state != EtcdLease::State::running) break;
  }
  return {false, *revision};
}

/// The delay is written with the next renewal.
void EtcdRegister::delay(const PeerInstance& life, Duration lock_delay) {
  expect_no_fork();
  if (wanted_delay(life) < lock_delay) wanted_delay_ = {life, lock_delay};
}

Duration EtcdRegister::wanted_delay(const PeerInstance& life) const {
  return wanted_delay_.first == life ? wanted_delay_.second : Duration::zero();
}

void EtcdRegister::end(const PeerInstance& life) {
  expect_no_fork();
  std::string key = names_.lease(life);
  Condition is_running = running(key, ledger_.find(life).lock_delay);
  TransactionResult outcome = ask({{is_running}, {end_of(key)}, {}});
  if (outcome.succeeded) ledger_.saw(life, EtcdLease::State::ended, outcome.header.revision);
}

void EtcdRegister::expect_no_fork() const {
  if (::getpid() != process_)
    throw std::logic_error("this register was opened before a fork; the child must open its own");
}

}  // namespace conch
