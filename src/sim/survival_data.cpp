// Survival: threads that use the data which locks protect, and transfers between peers, which take
// their time, and are cut.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/print.hpp"
#include "dho/parts.hpp"
#include "sim/simulated_block.hpp"
#include "sim/survival_process.hpp"

namespace conch::sim {

using namespace recovery;
using node::Claim;
using node::TransferEnd;

namespace {

/// Data have three cells, each with the fence of who wrote it last.
constexpr std::uint64_t cell = sizeof(std::uint64_t);
constexpr std::uint64_t data_size = 3 * cell;

std::string stamps(std::uint64_t version, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  for (std::uint64_t at = 0; at < bytes; at += cell) std::memcpy(&text[at], &version, cell);
  return text;
}

std::shared_ptr<SimulatedBlock> share(node::Block& block) {
  return static_cast<SimulatedBlock&>(block).share();
}

}  // namespace

// Threads.

bool Survival::Thread::is_in_vain() const {
  bool has_lease = process_.node->has_lease(process_.shows());
  return state != Claim::State::inside || (!has_lease && world_.options_.without != Rule::lease);
}

void Survival::open_data(Process& process, Thread& thread) {
  thread.copies = data_dice_.chance(0.5) ? 1 + static_cast<unsigned>(data_dice_.below(2)) : 0;
  thread.window = {};
  if (data_dice_.chance(0.3)) {
    std::uint64_t begin = cell * data_dice_.below(3);
    thread.window = {begin, begin + cell};
  }
  process.node->data().open(thread.lock);
}

void Survival::close_data(Process& process, Thread& thread) {
  process.node->data().cancel(thread);
  process.node->data().close(thread.lock);
}

/// It has the lock; some come for the data later.
void Survival::use_data(Process& process, Thread& thread) {
  process.node->data().enter(thread, thread.desk->data);
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

void Survival::acquire_data(Process& process, Thread& thread) {
  node::DataStore& store = process.node->data();
  bool is_here = thread.data().size == 0 || store.bring_at_once(thread);
  if (is_here) return begin_work(process, thread, dho::Status::ok);
  if (auto status = store.bring(thread, process.shows())) begin_work(process, thread, *status);
}

/// That newer data were lost; but who came as a guest, after the epoch began, has not heard of it.
bool Survival::is_told(const Process& process, const node::LockDesk& desk) {
  const Member* member = process.node->steward().view().roster.find(process.id);
  return desk.rolled_back || (member && member->guest);
}

void Survival::moved(Process& process, Thread& thread) {
  if (!thread.uses_data) return;
  const node::LockDesk& desk = *thread.desk;
  oracle(desk.name).found(thread.actor(), desk.data, is_told(process, desk));
  process.node->data().move(thread, desk.data, process.shows());
}

/// The thread wakes up. An epoch that has begun meanwhile may have found other data.
void Survival::brought(Process& process, Thread& thread, dho::Status status) {
  to(process.serial, {},
     [this, &thread, request = thread.request, data = thread.data(), status](Process& one) {
       bool is_same = thread.request == request && thread.state == Claim::State::inside;
       if (!is_same) return;
       if (thread.data() == data) return begin_work(one, thread, status);
       act(one, [&](node::Node&, Time) { acquire_data(one, thread); });
     });
}

void Survival::begin_work(Process& process, Thread& thread, dho::Status status) {
  if (thread.uses_data && !begin_using(process, thread, status)) return;  // It will be told.
  serve(process.id, thread.number, thread.asked_after_storm);
  to_memory(process.serial, draw({}, options_.lease.length / 10),
            [this, &thread, request = thread.request](Process& one) {
              bool is_same = thread.request == request;
              if (is_same && thread.state == Claim::State::inside) release(one, thread);
            });
}

bool Survival::begin_using(Process& process, Thread& thread, dho::Status status) {
  if (trace_)
    note(name_of(thread.actor()) + " has the data of " + thread.lock + ", version " +
         std::to_string(thread.data().version) + ": " + std::string(dho::word(status)));
  if (!process.node->data().begin(thread, thread.fence.number(), thread.data().size)) return false;
  check_data(process, thread, status);
  if (thread.writes) begin_writing(process, thread);
  return true;
}

/// They are what the last writer has left, or one is told why not.
void Survival::check_data(const Process& process, const Thread& thread, dho::Status status) {
  LockOracle& judge = oracle(thread.lock);
  std::uint64_t version = thread.data().version;
  switch (status) {
    case dho::Status::torn:
      findings_.see(Sighting::data_torn);
      return judge.found_torn(thread.actor(), version);
    case dho::Status::peer_lost:
      findings_.see(Sighting::data_lost);
      return check_lost(process, thread);
    case dho::Status::ok: break;
    default: return findings_.report(Property::data, "data that are neither here nor lost");
  }
  if (thread.data().size == 0) return;
  Range part = thread.is_partial ? thread.window : Range{0, data_size};
  std::string bytes = thread.block->text(data_size).substr(part.begin, part.end - part.begin);
  judge.found_bytes(thread.actor(), version, part.begin, bytes);
}

/// Nobody whom it can ask has them.
void Survival::check_lost(const Process& process, const Thread& thread) {
  Acting nobody(*this, nullptr);
  for (const Member& member : process.node->steward().view().roster) {
    Process* other = find(member.life());
    if (!other) continue;
    node::DataStore::Found found = other->node->data().find(thread.lock, thread.data().version);
    if (found.block && !found.is_torn)
      findings_.report(Property::data, name_of(thread.actor()) + " is told that version " +
                                           std::to_string(thread.data().version) +
                                           " is lost, but " + name_of(member.life()) + " has it");
  }
}

/// The first half of what it changes; who dies now leaves the data torn, unless it works beside
/// them.
void Survival::begin_writing(Process& process, Thread& thread) {
  std::uint64_t version = thread.fence.number();
  bool is_new = thread.data().size == 0 && thread.window == Range{};
  if (is_new) process.node->data().resize(thread, 0, data_size);
  if (!thread.block) return;
  if (!thread.is_aside) oracle(thread.lock).begins(thread.fence, thread.data().version);
  if (!thread.is_aside && thread.copies > 0)
    findings_.report(Property::data,
                     name_of(thread.actor()) + " promises copies, and changes what others can see");
  Range part = dho::intersection(thread.window, {0, data_size});
  thread.block->fill(stamps(version, cell), part.begin);
}

void Survival::leave_data(Process& process, Thread& thread) {
  std::uint64_t version = thread.fence.number();
  DataRef data{version, thread.block ? data_size : 0, process.id};
  if (thread.writes && thread.block) {
    Range part = dho::intersection(thread.window, {0, data_size});
    thread.block->fill(stamps(version, part.end - part.begin), part.begin);
    bool is_whole = !thread.is_aside || !thread.is_partial;
    if (is_whole)
      oracle(thread.lock).offers(thread.Claim::life, version, thread.block->text(data_size));
  }
  std::optional<dho::Status> status;
  act(process, [&](node::Node& node, Time now) {
    status = node.data().leave(thread, data, thread.desk->rolled_back, now);
  });
  if (!status) return;
  check_promise(process, thread, *status);
  end_use(process, thread);
}

void Survival::written(Process& process, Thread& thread, dho::Status status) {
  check_promise(process, thread, status);
  to(process.serial, {}, [this, &thread, request = thread.request](Process& one) {
    bool is_same = thread.request == request && thread.state == Claim::State::inside;
    if (is_same) end_use(one, thread);
  });
}

/// Who is told that it may go on has as many copies elsewhere as it wanted.
void Survival::check_promise(const Process& process, const Thread& thread, dho::Status status) {
  bool is_promised = status == dho::Status::ok && thread.writes && thread.copies > 0;
  if (!is_promised || !thread.block || thread.is_partial) return;
  findings_.see(Sighting::copies_spread);
  oracle(thread.lock)
      .promised(thread.actor(), thread.fence.number(), thread.copies,
                process.node->steward().view().roster);
}

void Survival::end_use(Process& process, Thread& thread) {
  if (thread.is_in_vain()) return call(process, [](node::Node&, Time) {});
  std::optional<DataRef> written = process.node->data().put_down(thread);
  if (thread.writes) oracle(thread.lock).finishes(thread.fence);
  let_go(process, thread, written);
}

/// Nothing ends with a peer that another could take.
void Survival::check_departure(Process& process) {
  for (auto& [lock, judge] : oracles_) {
    std::uint64_t version = process.node->data().version(lock);
    bool is_elsewhere = std::any_of(processes_.begin(), processes_.end(), [&](const auto& each) {
      return each.second.get() != &process && each.second->node->data().version(lock) >= version;
    });
    if (version != 0) judge.departed(process.life, version, is_elsewhere);
  }
}

// Memory that processes of one machine share.

void Survival::to_memory(std::uint64_t serial, Duration delay, std::function<void(Process&)> act) {
  auto pending = std::make_shared<MemoryAct>(MemoryAct{serial, std::move(act)});
  memory_acts_.push_back(pending);
  to(serial, delay, [this, pending](Process& one) {
    if (std::erase(memory_acts_, pending) > 0) pending->act(one);
  });
}

void Survival::change_memory() {
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

// Transfers.

struct Survival::Moving {
  std::uint64_t serial = 0;
  Life from;
  node::Transfer transfer;
  bool is_over = false;
};

std::shared_ptr<node::Block> Survival::Process::make_block(std::uint64_t capacity) {
  auto block = std::make_shared<SimulatedBlock>(++w_.blocks_, SimulatedBlock::Bytes::kept,
                                                [&world = w_] { world.change_memory(); });
  block->reserve(capacity);
  return block;
}

void Survival::Process::save_data(const std::string& lock, node::Block& block) {
  Acting nobody(w_, nullptr);
  w_.findings_.see(Sighting::data_saved);
  if (node->has_company())
    w_.findings_.report(Property::data, name_of(life) + " ends the data of others");
  w_.saved_[lock] = block.text(data_size);
  w_.oracle(lock).found_bytes({life}, block.version(), 0, w_.saved_[lock]);
  w_.oracle(lock).ended();
}

std::vector<std::string> Survival::Process::saved_locks() {
  std::vector<std::string> locks;
  for (const auto& [lock, bytes] : w_.saved_) locks.push_back(lock);
  return locks;
}

std::shared_ptr<node::Block> Survival::Process::load_data(const std::string& lock,
                                                          std::uint64_t version) {
  w_.findings_.see(Sighting::data_restored);
  auto block = make_block(data_size);
  block->fill(w_.saved_[lock], 0);
  block->finish(version, data_size);
  w_.oracle(lock).offers(life, version, w_.saved_[lock]);
  return block;
}

bool Survival::share_memory(NodeId one, NodeId other) const {
  return one.value % hosts_ == other.value % hosts_;
}

/// Now and then it takes long.
Duration Survival::draw_transfer_time() {
  return data_dice_.chance(0.1) ? draw({}, options_.lease.length / 2) : draw_latency();
}

void Survival::begin_transfer(Process& process, node::Transfer transfer) {
  auto moving = std::make_shared<Moving>(Moving{process.serial, process.life, std::move(transfer)});
  moving_.push_back(moving);
  bool is_fetch = std::holds_alternative<node::FetchData>(moving->transfer.question);
  if (!is_fetch && !moving->transfer.block)
    return findings_.report(Property::data, name_of(process.life) + " gives data that it lacks");
  if (const auto* copy = std::get_if<node::CopyData>(&moving->transfer.question))
    return to(process.serial, draw_transfer_time(), [this, moving, into = copy->into](Process&) {
      into->copy(*moving->transfer.block, moving->transfer.data.size);
      end(moving, [into](Process&) { return TransferEnd{TransferEnd::Kind::came, into}; });
    });
  hop(moving, draw_latency(), [this, moving](Process& keeper) {
    std::visit([&](const auto& m) { ask_for(moving, m, keeper); }, moving->transfer.question);
  });
}

void Survival::abort_transfer(const Process& process, std::uint64_t number) {
  for (const auto& moving : std::vector(moving_))
    if (moving->serial == process.serial && moving->transfer.number == number) forget(moving);
}

void Survival::forget(const std::shared_ptr<Moving>& moving) {
  moving->is_over = true;
  std::erase(moving_, moving);
}

/// Those with somebody who is not mentioned any more.
void Survival::end_transfers(const Process& process, const View& view) {
  for (const auto& moving : moving_)
    if (moving->serial == process.serial && !view.mentions(moving->transfer.with)) fail(moving);
}

/// Its process, or this life of it, has come to an end.
void Survival::cut_transfers(const Life& life) {
  for (const auto& moving : std::vector(moving_)) {
    if (moving->from == life) forget(moving);
    if (moving->transfer.with == life) fail(moving);
  }
}

/// To whom it is with. What was sent before its sender has gone may come or not.
void Survival::hop(const std::shared_ptr<Moving>& moving, Duration time, Step step) {
  after(time, [this, moving, step = std::move(step)] {
    if (moving->is_over && data_dice_.chance(0.5)) return;
    Process* keeper = find(moving->transfer.with);
    if (!keeper || is_lost(*moving)) return fail(moving);
    if (keeper->stopped)
      return keeper->missed.push_back([this, moving, step](Process&) { hop(moving, {}, step); });
    step(*keeper);
  });
}

bool Survival::is_lost(const Moving& moving) {
  const Life& other = moving.transfer.with;
  return is_cut(moving.from, other) || is_cut(other, moving.from) || data_dice_.chance(3 * loss_);
}

void Survival::hop_back(const std::shared_ptr<Moving>& moving, Arrival arrival) {
  after(draw_latency(), [this, moving, arrival = std::move(arrival)] {
    is_lost(*moving) ? fail(moving) : end(moving, arrival);
  });
}

void Survival::hop_back(const std::shared_ptr<Moving>& moving, TransferEnd::Kind kind) {
  hop_back(moving, [kind](Process&) { return TransferEnd{kind}; });
}

void Survival::fail(const std::shared_ptr<Moving>& moving) {
  if (!moving->is_over) findings_.see(Sighting::transfer_cut);
  after(draw({}, options_.lease.length / 8),
        [this, moving] { end(moving, [](Process&) { return TransferEnd{}; }); });
}

void Survival::end(const std::shared_ptr<Moving>& moving, Arrival arrival) {
  if (moving->is_over) return;
  to(moving->serial, {}, [this, moving, arrival = std::move(arrival)](Process& one) {
    if (moving->is_over) return;
    TransferEnd end = arrival(one);
    forget(moving);
    call(one,
         [&](node::Node& node, Time now) { node.data().ended(moving->transfer.number, end, now); });
  });
}

void Survival::ask_for(const std::shared_ptr<Moving>& moving, const node::FetchData& m,
                       Process& keeper) {
  node::DataStore::Found found = keeper.node->data().find(m.lock, m.version);
  if (!found.block) return hop_back(moving, TransferEnd::Kind::gone);
  if (moving->transfer.with.id != moving->transfer.data.location)
    findings_.see(Sighting::copy_found);
  if (share_memory(keeper.id, moving->from.id)) {
    findings_.see(Sighting::memory_passed);
    return hop_back(moving, [block = share(*found.block), torn = found.is_torn](Process&) {
      return TransferEnd{TransferEnd::Kind::came, block, torn};
    });
  }
  std::string before = found.block->text(data_size);
  hop(moving, draw_transfer_time(), [this, moving, m, found, before](Process&) {
    std::string bytes =
        before.substr(0, data_size / 2) + found.block->text(data_size).substr(data_size / 2);
    bool is_sound = found.is_torn ? found.block->is_torn(m.version) : found.block->has(m.version);
    if (!is_sound) return fail(moving);
    findings_.see(Sighting::data_streamed);
    hop_back(moving, [moving, m, torn = found.is_torn, bytes](Process& one) {
      std::shared_ptr<node::Block> room = one.node->data().make_room(moving->transfer.number);
      Range range = dho::intersection(m.range, {0, data_size});
      room->fill(std::string_view(bytes).substr(range.begin, range.end - range.begin), range.begin);
      return TransferEnd{TransferEnd::Kind::came, room, torn, true};
    });
  });
}

void Survival::ask_for(const std::shared_ptr<Moving>& moving, const node::KeepData& m,
                       Process& keeper) {
  if (!keeper.node->data().accepts(moving->from, m))
    return hop_back(moving, TransferEnd::Kind::declined);
  node::Block& block = *moving->transfer.block;
  if (share_memory(keeper.id, moving->from.id)) return keep(moving, m, keeper, share(block));
  std::string before = block.text(data_size);
  hop(moving, draw_transfer_time(), [this, moving, m, before](Process& still) {
    node::Block& sent = *moving->transfer.block;
    std::string bytes =
        before.substr(0, data_size / 2) + sent.text(data_size).substr(data_size / 2);
    if (!sent.has(m.data.version)) return fail(moving);
    std::shared_ptr<node::Block> room = still.node->data().make_room(m);
    room->fill(bytes, 0);
    room->finish(m.data.version, m.data.size);
    keep(moving, m, still, room);
  });
}

void Survival::keep(const std::shared_ptr<Moving>& moving, const node::KeepData& m, Process& keeper,
                    const std::shared_ptr<node::Block>& block) {
  bool is_kept = false;
  Life life = keeper.life;  // It may end in the same breath: as if it died with what it has.
  call(keeper, [&](node::Node& node, Time) { is_kept = node.data().keep(moving->from, m, block); });
  // Or something newer, that its writer has not released yet.
  if (is_kept) oracle(m.lock).copied(life, m.data.version);
  if (is_kept && m.inherit) findings_.see(Sighting::data_inherited);
  hop_back(moving, is_kept ? TransferEnd::Kind::kept : TransferEnd::Kind::declined);
}

void Survival::ask_for(const std::shared_ptr<Moving>& moving, const node::PatchData& m,
                       Process& keeper) {
  Patched answer = keeper.node->data().accepts(moving->from, m);
  if (answer != Patched::go_on) return hop_back(moving, answer);
  hop(moving, draw_transfer_time(), [this, moving, m](Process& still) {
    std::string bytes =
        moving->transfer.block->text(data_size).substr(m.range.begin, m.range.end - m.range.begin);
    bool was_kept = still.node->data().accepts(moving->from, m) == Patched::kept;
    Patched patched{};
    Life life = still.life;
    call(still,
         [&](node::Node& node, Time) { patched = node.data().patch(moving->from, m, bytes); });
    if (patched == Patched::kept && !was_kept) {
      findings_.see(Sighting::part_patched);
      oracle(m.lock).patches(life, m.version, m.data.version, m.range.begin, bytes);
    }
    hop_back(moving, patched);
  });
}

void Survival::hop_back(const std::shared_ptr<Moving>& moving, Patched answer) {
  if (answer == Patched::later) return fail(moving);
  hop_back(moving, answer == Patched::kept ? TransferEnd::Kind::kept : TransferEnd::Kind::declined);
}

}  // namespace conch::sim
