// Group simulation: threads that use the data which locks protect.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/print.hpp"
#include "dho/parts.hpp"
#include "sim/group_simulation_process.hpp"
#include "sim/simulated_block.hpp"

namespace conch::sim {

using namespace recovery;
using node::Claim;

namespace {

std::string stamps(std::uint64_t version, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  for (std::uint64_t at = 0; at < bytes; at += sizeof version)
    std::memcpy(&text[at], &version, sizeof version);
  return text;
}

}  // namespace

// Threads.

bool GroupSimulation::Thread::is_in_vain() const {
  bool has_lease = process_.node->has_lease(process_.shows());
  return state != Claim::State::inside || (!has_lease && world_.options_.without != Rule::lease);
}

void GroupSimulation::open_data(Process& process, Thread& thread) {
  thread.copies = data_dice_.chance(0.5) ? 1 + static_cast<unsigned>(data_dice_.below(2)) : 0;
  thread.window = {};
  if (data_dice_.chance(0.3)) {
    std::uint64_t begin = cell * data_dice_.below(cells_min);
    bool has_the_end = data_dice_.chance(0.5);
    thread.window = {begin, has_the_end ? Range{}.end : begin + cell};
  }
  process.node->data().open(thread.lock);
}

void GroupSimulation::close_data(Process& process, Thread& thread) {
  process.node->data().cancel(thread);
  process.node->data().close(thread.lock);
}

/// The thread has the lock; some threads fetch the data later.
void GroupSimulation::use_data(Process& process, Thread& thread) {
  process.node->data().enter(thread, thread.local_lock->data);
  std::uint64_t enclosed = process.node->data().enclosures();
  if (std::exchange(process.enclosures, enclosed) < enclosed)
    findings_.see(Sighting::data_enclosed);
  if (data_dice_.chance(0.5)) return acquire_data(process, thread);
  to_memory(process.serial, draw({}, options_.lease.length / 10),
            [this, &thread, request = thread.request](Process& one) {
              if (thread.request == request && thread.state == Claim::State::inside)
                act(one, [&](node::Node&, Time) { acquire_data(one, thread); });
            });
}

void GroupSimulation::acquire_data(Process& process, Thread& thread) {
  node::DataStore& store = process.node->data();
  bool is_here = thread.data().size == 0 || store.bring_at_once(thread);
  if (is_here) return begin_work(process, thread, dho::CallStatus::ok);
  if (auto status = store.bring(thread, process.shows())) begin_work(process, thread, *status);
}

/// Whether this peer knows that newer data were lost, or cannot know: a guest that came after the
/// epoch began has not heard of it.
bool GroupSimulation::is_told(const Process& process, const node::LocalLock& local_lock) {
  const Member* member = process.node->group_member().view().roster.find(process.id);
  return local_lock.rolled_back || (member && member->guest);
}

void GroupSimulation::moved(Process& process, Thread& thread) {
  if (!thread.uses_data) return;
  const node::LocalLock& local_lock = *thread.local_lock;
  oracle(local_lock.name).found(thread.actor(), local_lock.data, is_told(process, local_lock));
  process.node->data().move(thread, local_lock.data, process.shows());
}

/// The thread wakes up. An epoch that has begun meanwhile may have found other data.
void GroupSimulation::brought(Process& process, Thread& thread, dho::CallStatus status) {
  to(process.serial, {},
     [this, &thread, request = thread.request, data = thread.data(), status](Process& one) {
       bool is_same = thread.request == request && thread.state == Claim::State::inside;
       if (!is_same) return;
       if (thread.data() == data) return begin_work(one, thread, status);
       act(one, [&](node::Node&, Time) { acquire_data(one, thread); });
     });
}

void GroupSimulation::begin_work(Process& process, Thread& thread, dho::CallStatus status) {
  if (thread.uses_data && !begin_using(process, thread, status)) return;  // It is told of its loss.
  serve(process.id, thread.number, thread.asked_after_storm);
  to_memory(process.serial, draw_stay(process),
            [this, &thread, request = thread.request](Process& one) {
              bool is_same = thread.request == request;
              if (is_same && thread.state == Claim::State::inside) release(one, thread);
            });
}

/// Now and then, when all is well, a holder stays for long; meanwhile another peer leaves, and yet
/// another dies.
Duration GroupSimulation::draw_stay(const Process& process) {
  Duration stay = draw({}, options_.lease.length / 10);
  bool may_be_long = is_well() && stage_ == Stage::busy && long_stays_ < long_stays_max;
  if (!may_be_long || !client_dice_.chance(0.1)) return stay;
  ++long_stays_;
  stay += (withdrawal_looks + 2) * options_.lease.length / 2;
  stays_until_ = now_ + stay;
  const Process& other = *draw_process(client_dice_);
  if (&other == &process || is_ring()) return stay;
  to(other.serial, draw({}, options_.lease.length), [this](Process& one) {
    leave(one);
    if (!client_dice_.chance(0.5)) return;
    after(draw({}, 8 * latency_max_), [this, leaver = one.serial] {
      Process* victim = draw_process(client_dice_);
      bool is_other = victim && victim->serial != leaver;
      if (is_other && stage_ == Stage::busy) strike_at(*victim);
    });
  });
  return stay;
}

bool GroupSimulation::begin_using(Process& process, Thread& thread, dho::CallStatus status) {
  if (trace_)
    note(name_of(thread.actor()) + " has the data of " + thread.lock + ", version " +
         std::to_string(thread.data().version) + ": " + std::string(dho::word(status)));
  if (!process.node->data().begin(thread, thread.fence.number(), thread.data().size)) return false;
  check_data(process, thread, status);
  if (thread.writes) begin_writing(process, thread);
  return true;
}

/// The data are what the last writer has left, or the status says why not.
void GroupSimulation::check_data(const Process& process, Thread& thread, dho::CallStatus status) {
  bool is_whole = status == dho::CallStatus::ok && thread.data().size > 0;
  thread.found = is_whole ? std::optional(thread.data().version) : std::nullopt;
  thread.given = thread.data().version;
  thread.size = thread.data().size;
  LockOracle& judge = oracle(thread.lock);
  std::uint64_t version = thread.data().version;
  const recovery::GroupMember& group_member = process.node->group_member();
  std::uint64_t known = group_member.known_data(thread.lock).version;
  if (group_member.stage() == recovery::ViewStage::working && known != version)
    findings_.report(Property::data, name_of(thread.actor()) + " is given version " +
                                         std::to_string(version) + ", though the lock tells of " +
                                         std::to_string(known));
  switch (status) {
    case dho::CallStatus::torn:
      findings_.see(Sighting::data_torn);
      return judge.found_torn(thread.actor(), version);
    case dho::CallStatus::peer_lost:
      findings_.see(Sighting::data_lost);
      return check_lost(process, thread);
    case dho::CallStatus::ok: break;
    default: return findings_.report(Property::data, "data that are neither here nor lost");
  }
  if (!is_whole) return;
  judge.found_size(thread.actor(), version, thread.size);
  check_bytes(thread, thread.is_partial ? thread.window : Range{});
}

void GroupSimulation::check_bytes(const Thread& thread, const Range& range) {
  Range part = dho::intersection(range, {0, thread.size});
  if (part.begin == part.end) return;
  std::string bytes = thread.block->text(thread.size).substr(part.begin, part.end - part.begin);
  oracle(thread.lock).found_bytes(thread.actor(), *thread.found, part.begin, bytes);
}

/// Nobody else has changed the data during their use, though an epoch may have found others since.
void GroupSimulation::check_unchanged(const Thread& thread) {
  if (!thread.found) return;
  if (!thread.writes) return check_bytes(thread, thread.is_partial ? thread.window : Range{});
  if (thread.is_partial) return;
  check_bytes(thread, {0, thread.window.begin});
  check_bytes(thread, {std::min(thread.window.end, thread.size), thread.size});
}

/// No peer that it can ask has the data.
void GroupSimulation::check_lost(const Process& process, const Thread& thread) {
  Acting nobody(*this, nullptr);
  for (const Member& member : process.node->group_member().view().roster) {
    Process* other = find(member.life());
    if (!other) continue;
    node::DataStore::Found found = other->node->data().find(thread.lock, thread.data().version);
    if (found.block && !found.is_torn)
      findings_.report(Property::data, name_of(thread.actor()) + " is told that version " +
                                           std::to_string(thread.data().version) +
                                           " is lost, but " + name_of(member.life()) + " has it");
  }
}

/// Writes the first half of a change. A writer that dies now leaves the data torn, unless it works
/// on a copy.
void GroupSimulation::begin_writing(Process& process, Thread& thread) {
  std::uint64_t version = thread.fence.number();
  std::uint64_t before = thread.size;
  std::uint64_t size = before;
  if (thread.window.end == Range{}.end) {  // A window up to the end may move the end.
    bool is_changed = before == 0 || data_dice_.chance(0.3);
    if (is_changed) size = cell * (cells_min + data_dice_.below(cells_max - cells_min + 1));
    if (before > 0 && thread.window.begin == 0 && data_dice_.chance(0.05)) size = 0;
  }
  thread.size = size;
  if (size != before) process.node->data().resize(thread, before, size);
  if (size != before && before > 0)
    findings_.see(size > 0 ? Sighting::data_resized : Sighting::data_emptied);
  if (!thread.block) return;
  if (!thread.is_aside) oracle(thread.lock).begins(thread.fence, thread.data().version);
  if (!thread.is_aside && thread.copies > 0)
    findings_.report(Property::data,
                     name_of(thread.actor()) + " promises copies, and changes what others can see");
  if (size > 0) thread.block->fill(stamps(version, cell), thread.window.begin);
}

void GroupSimulation::leave_data(Process& process, Thread& thread) {
  std::uint64_t version = thread.fence.number();
  DataRef data{version, thread.block ? thread.size : 0, process.id};
  check_unchanged(thread);
  if (thread.writes && data.size > 0) {
    Range part = dho::intersection(thread.window, {0, data.size});
    thread.block->fill(stamps(version, part.end - part.begin), part.begin);
    bool is_whole = !thread.is_aside || !thread.is_partial;
    if (is_whole)
      oracle(thread.lock).offers(thread.Claim::life, version, thread.block->text(data.size));
  }
  std::optional<dho::CallStatus> status;
  act(process, [&](node::Node& node, Time now) {
    status = node.data().leave(thread, data, thread.local_lock->rolled_back, now);
  });
  if (!status) return;
  check_promise(process, thread, *status);
  end_use(process, thread);
}

void GroupSimulation::written(Process& process, Thread& thread, dho::CallStatus status) {
  check_promise(process, thread, status);
  to(process.serial, {}, [this, &thread, request = thread.request](Process& one) {
    bool is_same = thread.request == request && thread.state == Claim::State::inside;
    if (is_same) end_use(one, thread);
  });
}

/// A writer that may go on has as many copies elsewhere as it wanted.
void GroupSimulation::check_promise(const Process& process, const Thread& thread,
                                    dho::CallStatus status) {
  bool is_promised = status == dho::CallStatus::ok && thread.writes && thread.copies > 0;
  if (!is_promised || !thread.block || thread.size == 0 || thread.is_partial) return;
  findings_.see(Sighting::copies_spread);
  oracle(thread.lock)
      .promised(thread.actor(), thread.fence.number(), thread.copies,
                process.node->group_member().view().roster);
}

void GroupSimulation::end_use(Process& process, Thread& thread) {
  if (thread.is_in_vain()) return call(process, [](node::Node&, Time) {});
  std::optional<DataRef> written = process.node->data().put_down(thread);
  // Data changed in place and then left empty are torn, should they be the newest again.
  if (thread.writes && thread.size > 0) oracle(thread.lock).finishes(thread.fence);
  let_go(process, thread, written);
}

/// A leaving peer takes no version with it that another peer could keep.
void GroupSimulation::check_departure(Process& process) {
  for (auto& [lock, judge] : oracles_) {
    std::uint64_t version = process.node->data().version(lock);
    bool is_elsewhere = std::any_of(processes_.begin(), processes_.end(), [&](const auto& each) {
      return each.second.get() != &process && each.second->node->data().version(lock) >= version;
    });
    if (version != 0) judge.departed(process.life, version, is_elsewhere);
  }
}

// Memory that processes of one machine share.

bool GroupSimulation::share_memory(NodeId one, NodeId other) const {
  return one.value % hosts_ == other.value % hosts_;
}

void GroupSimulation::to_memory(std::uint64_t serial, Duration delay,
                                std::function<void(Process&)> act) {
  auto pending = std::make_shared<MemoryAct>(MemoryAct{serial, std::move(act)});
  memory_acts_.push_back(pending);
  to(serial, delay, [this, pending](Process& one) {
    if (std::erase(memory_acts_, pending) > 0) pending->act(one);
  });
}

void GroupSimulation::change_memory() {
  if (!acting_ || is_memory_changing_) return;
  auto is_possible = [&](const std::shared_ptr<MemoryAct>& each) {
    const Process* other = find(each->serial);
    return other && other != acting_ && !other->stopped && share_memory(other->id, acting_->id);
  };
  std::vector<std::shared_ptr<MemoryAct>> possible;
  std::copy_if(memory_acts_.begin(), memory_acts_.end(), std::back_inserter(possible), is_possible);
  if (possible.empty() || !data_dice_.chance(0.1)) return;
  std::shared_ptr<MemoryAct> pending = possible[data_dice_.below(possible.size())];
  std::erase(memory_acts_, pending);
  findings_.see(Sighting::memory_changed);
  is_memory_changing_ = true;
  pending->act(*find(pending->serial));
  is_memory_changing_ = false;
}

// The world of a node.

std::shared_ptr<node::Block> GroupSimulation::Process::make_block(std::uint64_t capacity) {
  auto block = std::make_shared<SimulatedBlock>(++w_.blocks_, SimulatedBlock::Bytes::kept,
                                                [&world = w_] { world.change_memory(); });
  block->reserve(capacity);
  return block;
}

void GroupSimulation::Process::save_data(const std::string& lock, node::Block& block) {
  Acting nobody(w_, nullptr);
  w_.findings_.see(Sighting::data_saved);
  if (node->has_company())
    w_.findings_.report(Property::data, name_of(life) + " ends the data of others");
  w_.saved_[lock] = block.text(block.size());
  w_.oracle(lock).found_bytes({life}, block.version(), 0, w_.saved_[lock]);
  w_.oracle(lock).ended();
}

std::vector<std::string> GroupSimulation::Process::saved_locks() {
  std::vector<std::string> locks;
  for (const auto& [lock, bytes] : w_.saved_) locks.push_back(lock);
  return locks;
}

std::shared_ptr<node::Block> GroupSimulation::Process::load_data(const std::string& lock,
                                                                 std::uint64_t version) {
  w_.findings_.see(Sighting::data_restored);
  const std::string& bytes = w_.saved_[lock];
  auto block = make_block(bytes.size());
  block->fill(bytes, 0);
  block->finish(version, bytes.size());
  w_.oracle(lock).offers(life, version, bytes);
  return block;
}

}  // namespace conch::sim
