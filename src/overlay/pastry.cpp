#include "overlay/pastry.hpp"

#include <bit>

#include "core/hash.hpp"
#include "overlay/ring_member_steps.hpp"

namespace conch::overlay {

template class RingMember<PrefixTable>;
static_assert(Overlay<Pastry>);

namespace {

constexpr int digits = 64 / PrefixTable::digit_bits;
constexpr unsigned columns = 1u << PrefixTable::digit_bits;
constexpr std::uint64_t number(Key key) { return static_cast<std::uint64_t>(key); }

/// How many bits are below the digits that a slot of this row fixes.
constexpr int shift_of(int row) { return 64 - PrefixTable::digit_bits * (row + 1); }

std::uint32_t microseconds(Duration latency) {
  auto us = std::chrono::duration_cast<std::chrono::microseconds>(latency).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(us, 0, 0xffff'fffe));
}

/// Picks one of the nodes that share a slot; returns it and its latency.
std::pair<NodeId, std::uint32_t> pick(NodeId self, std::span<const NodeId> alike,
                                      std::uint64_t prefix, const Latency& latency) {
  constexpr std::size_t sample = 16;
  std::uint64_t throw_of_dice = hash64(std::pair(self, prefix));
  NodeId any = alike[throw_of_dice % alike.size()];
  if (!latency) return {any, 0};
  std::pair<NodeId, std::uint32_t> best{any, microseconds(latency(any))};
  std::size_t step = std::max<std::size_t>(1, alike.size() / sample);
  for (std::size_t i = throw_of_dice % step; i < alike.size(); i += step)
    if (std::uint32_t us = microseconds(latency(alike[i])); us < best.second) best = {alike[i], us};
  return best;
}

}  // namespace

/// All keys that agree above the shift.
struct PrefixTable::Slot {
  std::uint64_t prefix;
  int shift;
  bool contains(NodeId node) const { return node.value >> shift == prefix; }
  NodeId first() const { return {prefix << shift}; }
  Key middle() const { return Key{first().value | (std::uint64_t{1} << shift) / 2}; }
};

int PrefixTable::shared_digits(NodeId a, Key b) {
  return std::countl_zero(a.value ^ number(b)) / digit_bits;
}

/// Precondition: the key is not this node's own place.
PrefixTable::Slot PrefixTable::slot_of(NodeId self, Key key) {
  int shift = shift_of(shared_digits(self, key));
  return {number(key) >> shift, shift};
}

std::size_t PrefixTable::first_of(const Slot& slot) const {
  auto place = std::lower_bound(nodes_.begin(), nodes_.end(), slot.first());
  return static_cast<std::size_t>(place - nodes_.begin());
}

bool PrefixTable::is_in(const Slot& slot, std::size_t place) const {
  return place < nodes_.size() && slot.contains(nodes_[place]);
}

PrefixTable::PrefixTable(const RingIds& members, std::size_t place, const Latency& latency) {
  NodeId self = members[place];
  std::vector<std::pair<NodeId, std::uint32_t>> chosen;
  std::size_t begin = 0, end = members.size();  // the nodes that share the digits above this row
  for (int row = 0; end - begin > 1; ++row) {
    int shift = shift_of(row);
    std::size_t next_begin = 0, next_end = 0;
    for (std::size_t first = begin, after = 0; first < end; first = after) {
      Slot slot{members[first].value >> shift, shift};
      std::uint64_t beyond = (slot.prefix + 1) << shift;  // 0 at the end of the ring
      after = beyond == 0 ? end : members.at_or_after(NodeId{beyond});
      if (slot.contains(self)) {
        next_begin = first;
        next_end = after;
      } else {
        chosen.push_back(
            pick(self, members.ids().subspan(first, after - first), slot.prefix, latency));
      }
    }
    begin = next_begin;
    end = next_end;
  }
  std::sort(chosen.begin(), chosen.end());
  nodes_.reserve(chosen.size());
  if (latency) latencies_us_.reserve(chosen.size());
  for (auto [node, latency_us] : chosen) {
    nodes_.push_back(node);
    if (latency) latencies_us_.push_back(latency_us);
  }
}

void PrefixTable::keep(NodeId self, const PrefixTable& other, std::span<const NodeId> members) {
  for (NodeId node : other.nodes_) {
    std::size_t place = first_of(slot_of(self, key_of(node)));
    if (is_in(slot_of(self, key_of(node)), place) &&
        std::binary_search(members.begin(), members.end(), node))
      nodes_[place] = node;
  }
}

// Routing.

std::optional<NodeId> PrefixTable::find(NodeId self, Key key) const {
  if (key == key_of(self)) return std::nullopt;
  Slot slot = slot_of(self, key);
  std::size_t place = first_of(slot);
  if (!is_in(slot, place)) return std::nullopt;
  return nodes_[place];
}

std::optional<NodeId> PrefixTable::hop(NodeId self, bool self_stays, Key key, const LeafSet& leaves,
                                       const PrefixTable& table, std::optional<NodeId> except) {
  // A leaver is not told whether the nodes in its table are still there.
  if (!self_stays || leaves.covers(key)) {
    std::optional<NodeId> best = leaves.nearest(key, except);
    bool ours = self_stays && (!best || nearer(key, self, *best));
    return ours ? std::nullopt : best;
  }
  std::optional<NodeId> found = table.find(self, key);
  if (found && found != except) return found;
  // The rare case: a node that shares as many digits, but is nearer.
  std::optional<NodeId> best;
  auto try_one = [&](NodeId node) {
    if (node == except || shared_digits(node, key) < shared_digits(self, key)) return;
    if (!nearer(key, node, self)) return;
    if (!best || nearer(key, node, *best)) best = node;
  };
  for (NodeId node : table.nodes_) try_one(node);
  for (NodeId node : leaves.before()) try_one(node);
  for (NodeId node : leaves.after()) try_one(node);
  return best;
}

/// Up to the middle between two neighbours; see `nearer`.
Arc PrefixTable::domain(NodeId self, const LeafSet& leaves) {
  NodeId before = leaves.before().front();
  NodeId after = leaves.after().front();
  std::uint64_t gap_before = self.value - before.value;
  std::uint64_t gap_after = after.value - self.value;
  return {Key{before.value + gap_before / 2 + 1}, Key{self.value + gap_after / 2}};
}

// Upkeep.

bool PrefixTable::contains(NodeId self, NodeId node) const {
  return find(self, key_of(node)) == node;
}

bool PrefixTable::offer(NodeId self, NodeId node) {
  if (node == self) return false;
  Slot slot = slot_of(self, key_of(node));
  std::size_t place = first_of(slot);
  if (is_in(slot, place)) return false;
  nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(place), node);
  if (!latencies_us_.empty())
    latencies_us_.insert(latencies_us_.begin() + static_cast<std::ptrdiff_t>(place), unknown);
  return true;
}

void PrefixTable::set_latency(std::size_t place, std::uint32_t latency_us) {
  if (latencies_us_.empty()) latencies_us_.assign(nodes_.size(), unknown);
  latencies_us_[place] = latency_us;
}

void PrefixTable::learn(NodeId self, NodeId node, Duration latency) {
  if (node == self) return;
  offer(self, node);
  std::size_t place = first_of(slot_of(self, key_of(node)));
  std::uint32_t latency_us = microseconds(latency);
  std::uint32_t known_us = latencies_us_.empty() ? unknown : latencies_us_[place];
  bool takes_the_place = known_us != unknown && latency_us < known_us;
  if (nodes_[place] != node && !takes_the_place) return;
  nodes_[place] = node;
  set_latency(place, latency_us);
}

bool PrefixTable::erase(NodeId self, NodeId node) {
  if (!contains(self, node)) return false;
  auto place = static_cast<std::ptrdiff_t>(first_of(slot_of(self, key_of(node))));
  nodes_.erase(nodes_.begin() + place);
  if (!latencies_us_.empty()) latencies_us_.erase(latencies_us_.begin() + place);
  return true;
}

Key PrefixTable::key_of_slot(NodeId self, NodeId node) {
  return slot_of(self, key_of(node)).middle();
}

unsigned PrefixTable::collect(NodeId self, NodeId newcomer, unsigned row,
                              std::vector<NodeId>& contacts) const {
  auto shared = static_cast<unsigned>(shared_digits(self, key_of(newcomer)));
  contacts.push_back(self);
  for (NodeId node : nodes_) {
    auto of_row = static_cast<unsigned>(shared_digits(self, key_of(node)));
    if (row <= of_row && of_row <= shared && node != newcomer) contacts.push_back(node);
  }
  return std::max(row, shared + 1);
}

std::optional<Key> PrefixTable::wanted(NodeId self, const LeafSet&, std::uint32_t turn) const {
  int rows = 1;
  for (NodeId node : nodes_) rows = std::max(rows, shared_digits(self, key_of(node)) + 1);
  int row = static_cast<int>(turn / columns) % std::min(rows, digits);
  std::uint64_t column = turn % columns;
  int shift = shift_of(row);
  std::uint64_t above = row == 0 ? 0 : self.value >> (shift + digit_bits) << digit_bits;
  Slot slot{above | column, shift};
  if (slot.contains(self) || is_in(slot, first_of(slot))) return std::nullopt;
  return slot.middle();
}

std::size_t PrefixTable::bytes() const {
  return nodes_.capacity() * sizeof(NodeId) + latencies_us_.capacity() * sizeof(std::uint32_t);
}

}  // namespace conch::overlay
