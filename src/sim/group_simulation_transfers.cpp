// Group simulation: transfers of data between peers, which take time and may be cut.
#include <algorithm>

#include "dho/parts.hpp"
#include "sim/group_simulation_process.hpp"
#include "sim/simulated_block.hpp"

namespace conch::sim {

using namespace recovery;
using node::TransferEnd;

namespace {

std::shared_ptr<SimulatedBlock> share(node::Block& block) {
  return static_cast<SimulatedBlock&>(block).share();
}

}  // namespace

struct GroupSimulation::Moving {
  std::uint64_t serial = 0;
  PeerInstance from;
  node::Transfer transfer;
  bool is_over = false;
};

/// Now and then a transfer takes long.
Duration GroupSimulation::draw_transfer_time() {
  return data_dice_.chance(0.1) ? draw({}, options_.lease.length / 2) : draw_latency();
}

void GroupSimulation::begin_transfer(Process& process, node::Transfer transfer) {
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
  haunt(moving->transfer);
}

void GroupSimulation::abort_transfer(const Process& process, std::uint64_t number) {
  for (const auto& moving : std::vector(moving_))
    if (moving->serial == process.serial && moving->transfer.number == number) forget(moving);
}

void GroupSimulation::forget(const std::shared_ptr<Moving>& moving) {
  moving->is_over = true;
  std::erase(moving_, moving);
}

/// Fails the transfers with peers that the view no longer mentions.
void GroupSimulation::end_transfers(const Process& process, const View& view) {
  for (const auto& moving : moving_)
    if (moving->serial == process.serial && !view.mentions(moving->transfer.with)) fail(moving);
}

/// The process, or this life of it, has ended.
void GroupSimulation::cut_transfers(const PeerInstance& life) {
  for (const auto& moving : std::vector(moving_)) {
    if (moving->from == life) forget(moving);
    if (moving->transfer.with == life) fail(moving);
  }
}

/// Takes a step at the other peer. What was sent before its sender has gone may come or not.
void GroupSimulation::hop(const std::shared_ptr<Moving>& moving, Duration time, Step step) {
  after(time, [this, moving, step = std::move(step)] {
    if (moving->is_over && data_dice_.chance(0.5)) return;
    Process* keeper = find(moving->transfer.with);
    if (!keeper || is_lost(*moving)) return fail(moving);
    if (keeper->stopped)
      return keeper->missed.push_back([this, moving, step](Process&) { hop(moving, {}, step); });
    step(*keeper);
  });
}

bool GroupSimulation::is_lost(const Moving& moving) {
  const PeerInstance& other = moving.transfer.with;
  return is_cut(moving.from, other) || is_cut(other, moving.from) || data_dice_.chance(3 * loss_);
}

void GroupSimulation::hop_back(const std::shared_ptr<Moving>& moving, Arrival arrival) {
  after(draw_latency(), [this, moving, arrival = std::move(arrival)] {
    is_lost(*moving) ? fail(moving) : end(moving, arrival);
  });
}

void GroupSimulation::hop_back(const std::shared_ptr<Moving>& moving, TransferEnd::Kind kind) {
  hop_back(moving, [kind](Process&) { return TransferEnd{kind}; });
}

void GroupSimulation::fail(const std::shared_ptr<Moving>& moving) {
  if (!moving->is_over) findings_.see(Sighting::transfer_cut);
  after(draw({}, options_.lease.length / 8),
        [this, moving] { end(moving, [](Process&) { return TransferEnd{}; }); });
}

void GroupSimulation::end(const std::shared_ptr<Moving>& moving, Arrival arrival) {
  if (moving->is_over) return;
  to(moving->serial, {}, [this, moving, arrival = std::move(arrival)](Process& one) {
    if (moving->is_over) return;
    TransferEnd end = arrival(one);
    forget(moving);
    call(one,
         [&](node::Node& node, Time now) { node.data().ended(moving->transfer.number, end, now); });
  });
}

void GroupSimulation::ask_for(const std::shared_ptr<Moving>& moving, const node::FetchData& m,
                              Process& keeper) {
  node::DataStore::Found found = keeper.node->data().find(m.lock, m.version);
  if (!found.block) return hop_back(moving, TransferEnd::Kind::gone);
  std::uint64_t size = found.block->size();
  if (size != moving->transfer.data.size) return fail(moving);
  if (moving->transfer.with.id != moving->transfer.data.location)
    findings_.see(Sighting::copy_found);
  if (share_memory(keeper.id, moving->from.id)) {
    findings_.see(Sighting::memory_passed);
    return hop_back(moving, [block = share(*found.block), torn = found.is_torn](Process&) {
      return TransferEnd{TransferEnd::Kind::came, block, torn};
    });
  }
  std::string before = found.block->text(size);
  hop(moving, draw_transfer_time(), [this, moving, m, found, before, size](Process&) {
    std::string bytes = before.substr(0, size / 2) + found.block->text(size).substr(size / 2);
    bool is_sound = found.is_torn ? found.block->is_torn(m.version) : found.block->has(m.version);
    if (!is_sound) return fail(moving);
    findings_.see(Sighting::data_streamed);
    hop_back(moving, [moving, m, torn = found.is_torn, bytes](Process& one) {
      std::shared_ptr<node::Block> room = one.node->data().make_room(moving->transfer.number);
      Range range = dho::intersection(m.range, {0, bytes.size()});
      room->fill(std::string_view(bytes).substr(range.begin, range.end - range.begin), range.begin);
      return TransferEnd{TransferEnd::Kind::came, room, torn, true};
    });
  });
}

void GroupSimulation::ask_for(const std::shared_ptr<Moving>& moving, const node::KeepData& m,
                              Process& keeper) {
  if (!keeper.node->data().accepts(moving->from, m))
    return hop_back(moving, TransferEnd::Kind::declined);
  node::Block& block = *moving->transfer.block;
  if (share_memory(keeper.id, moving->from.id)) return keep(moving, m, keeper, share(block));
  std::uint64_t size = m.data.size;
  std::string before = block.text(size);
  hop(moving, draw_transfer_time(), [this, moving, m, before, size](Process& still) {
    node::Block& sent = *moving->transfer.block;
    std::string bytes = before.substr(0, size / 2) + sent.text(size).substr(size / 2);
    if (!sent.has(m.data.version)) return fail(moving);
    std::shared_ptr<node::Block> room = still.node->data().make_room(m);
    if (room) room->fill(bytes, 0);
    if (room) room->finish(m.data.version, m.data.size);
    keep(moving, m, still, room);
  });
}

void GroupSimulation::keep(const std::shared_ptr<Moving>& moving, const node::KeepData& m,
                           Process& keeper, const std::shared_ptr<node::Block>& block) {
  bool is_kept = false;
  PeerInstance life =
      keeper.life;  // It may end in this call, as if it died together with the data that it has.
  call(keeper, [&](node::Node& node, Time) { is_kept = node.data().keep(moving->from, m, block); });
  // Or it keeps something newer that its writer has not released yet.
  if (is_kept) oracle(m.lock).copied(life, m.data.version);
  if (is_kept && m.inherit) findings_.see(Sighting::data_inherited);
  hop_back(moving, is_kept ? TransferEnd::Kind::kept : TransferEnd::Kind::declined);
}

void GroupSimulation::ask_for(const std::shared_ptr<Moving>& moving, const node::PatchData& m,
                              Process& keeper) {
  Patched answer = keeper.node->data().accepts(moving->from, m);
  if (answer != Patched::go_on) return hop_back(moving, answer);
  hop(moving, draw_transfer_time(), [this, moving, m](Process& still) {
    std::string bytes = moving->transfer.block->text(m.range.end).substr(m.range.begin);
    bool was_kept = still.node->data().accepts(moving->from, m) == Patched::kept;
    Patched patched{};
    PeerInstance life = still.life;
    call(still,
         [&](node::Node& node, Time) { patched = node.data().patch(moving->from, m, bytes); });
    if (patched == Patched::kept && !was_kept) {
      findings_.see(Sighting::part_patched);
      check_part(*moving, m);
      oracle(m.lock).patches(life, m.version, m.data, m.range.begin, bytes);
    }
    hop_back(moving, patched);
  });
}

/// A part is put into the version that its writer was given.
void GroupSimulation::check_part(const Moving& moving, const node::PatchData& m) {
  Process* writer = find(moving.from);
  if (!writer) return;
  for (const Thread& thread : writer->threads)
    if (thread.transfer() == moving.transfer.number && thread.given != m.version)
      findings_.report(Property::data, name_of(thread.actor()) + " puts a part of version " +
                                           std::to_string(thread.given) + " into version " +
                                           std::to_string(m.version));
}

void GroupSimulation::hop_back(const std::shared_ptr<Moving>& moving, Patched answer) {
  if (answer == Patched::later) return fail(moving);
  hop_back(moving, answer == Patched::kept ? TransferEnd::Kind::kept : TransferEnd::Kind::declined);
}

}  // namespace conch::sim
