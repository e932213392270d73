#include "sim/data_peer.hpp"

#include "node/talk.hpp"
#include "sim/simulated_block.hpp"

namespace conch::sim {

namespace {

PeerInstance life_of(NodeId node) { return {node, Incarnation{1}}; }

}  // namespace

DataPeer::DataPeer(NodeId self, const dho::HandleOptions& options, Outlet& outlet)
    : self_(self), outlet_(outlet), handle_(options), store_(*this, *this, *this) {
  store_.live_as(life_of(self));
}

// Calls.

dho::CallStatus DataPeer::acquire() {
  dho::CallStatus status = call([&](dho::Orders& out) { return handle_.acquire(out); });
  if (status == dho::CallStatus::ok) store_.begin(*this, handle_.fence()->number(), handle_.size());
  return status;
}

dho::CallStatus DataPeer::resize(std::uint64_t size) {
  std::uint64_t before = handle_.size();
  dho::CallStatus status = handle_.resize(size);
  if (status == dho::CallStatus::ok) store_.resize(*this, before, size);
  return status;
}

dho::CallStatus DataPeer::release() {
  if (handle_.state() == dho::State::locked)
    store_.leave(*this, {handle_.fence()->number(), handle_.size(), self_}, false, outlet_.now());
  return call([&](dho::Orders& out) { return handle_.release(out); });
}

// Orders.

void DataPeer::carry_out(const dho::Order& order, dho::Orders& out) {
  if (std::holds_alternative<dho::Bring>(order)) return bring(out);
  if (std::holds_alternative<dho::Release>(order)) return outlet_.release(self_, put_down());
  if (std::holds_alternative<dho::Join>(order)) store_.open(lock = handle_.name());
  if (const auto* ask = std::get_if<dho::Ask>(&order)) writes = ask->mode == Mode::write;
  if (std::holds_alternative<dho::Leave>(order)) {
    CONCH_EXPECT(kept_ == 0, "a peer that keeps data does not leave");
    store_.close(lock);
  }
  if (std::holds_alternative<dho::Acquired>(order))
    store_.begin(*this, handle_.fence()->number(), handle_.size());
  outlet_.order(self_, order);
}

void DataPeer::bring(dho::Orders& out) {
  if (store_.bring_at_once(*this)) return handle_.brought(dho::CallStatus::ok, out);
  if (auto status = store_.bring(*this, outlet_.now())) handle_.brought(*status, out);
}

DataRef DataPeer::put_down() {
  store_.cancel(*this);
  DataRef data = store_.put_down(*this).value_or(found_);
  if (data.location == self_ && data.size > 0) kept_ = data.version;
  handle_.keep(kept_ != 0);
  return data;
}

void DataPeer::brought(dho::CallStatus status) {
  call([&](dho::Orders& out) {
    handle_.brought(status, out);
    return dho::CallStatus::ok;
  });
}

// The lock manager.

void DataPeer::tell(const Effect& effect) {
  if (const auto* entered = std::get_if<Entered>(&effect)) enter(entered->baton);
  call([&](dho::Orders& out) {
    if (const auto* entered = std::get_if<Entered>(&effect)) handle_.entered(entered->baton, out);
    if (std::holds_alternative<Withdrawn>(effect)) handle_.withdrawn(out);
    if (std::holds_alternative<Joined>(effect)) handle_.joined(out);
    if (std::holds_alternative<Left>(effect)) handle_.left(out);
    return dho::CallStatus::ok;
  });
}

/// The store asks only the peer that the lock names, so its roster holds that peer and this one.
void DataPeer::enter(const Baton& baton) {
  found_ = baton.data;
  if (found_.version > kept_) kept_ = 0;
  std::vector<recovery::Member> members{{self_, Incarnation{1}}};
  if (found_.location && found_.location != self_)
    members.push_back({*found_.location, Incarnation{1}});
  recovery::View view;
  view.roster = recovery::Roster(std::move(members));
  store_.follow_view(view, outlet_.now());
  store_.enter(*this, found_);
}

// Other peers.

void DataPeer::begin(node::Transfer transfer) {
  const auto* fetch = std::get_if<node::FetchData>(&transfer.question);
  CONCH_EXPECT(fetch, "a transfer only fetches: no copies are promised");
  outlet_.send(self_, transfer.with.id, FetchLetter{transfer.number, *fetch});
}

bool DataPeer::send(const PeerInstance& to, std::string_view payload) {
  outlet_.send(self_, to.id, OutdatedLetter{std::string(payload)});
  return true;
}

void DataPeer::receive(NodeId from, const Letter& letter) {
  std::visit([&](const auto& chosen) { take(from, chosen); }, letter);
}

void DataPeer::take(NodeId from, const FetchLetter& letter) {
  node::DataStore::Found found = store_.find(letter.question.lock, letter.question.version);
  CONCH_EXPECT(found.block, "the peer that the lock names has the data");
  outlet_.send(self_, from, DataLetter{letter.number, found.block->size()});
}

void DataPeer::take(NodeId, const DataLetter& letter) {
  std::shared_ptr<node::Block> room = store_.make_room(letter.number);
  if (!room) return;  // The data are no longer wanted.
  store_.ended(letter.number, {node::TransferEnd::Kind::came, room, false, true}, outlet_.now());
}

void DataPeer::take(NodeId, const OutdatedLetter& letter) {
  std::string why;
  auto outdated = node::unpacked<node::Outdated>(std::string_view(letter.payload).substr(1), why);
  CONCH_EXPECT(outdated, why);
  store_.outdated(outdated->lock, outdated->version);
  if (kept_ <= outdated->version) kept_ = 0;
  handle_.keep(kept_ != 0);
}

std::shared_ptr<node::Block> DataPeer::make_block(std::uint64_t) {
  return std::make_shared<SimulatedBlock>(++blocks_, SimulatedBlock::Bytes::none);
}

}  // namespace conch::sim
