#include "oracle/oracles.hpp"

#include <algorithm>
#include <utility>

#include "core/print.hpp"

namespace conch::oracle {

std::string_view word(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "ME1";
    case Property::progress: return "ME2";
    case Property::order: return "ME3";
    case Property::one_token: return "one token";
    case Property::fences: return "fences increase";
    case Property::data: return "data arrive";
    case Property::addressee: return "no message to nobody";
    case Property::invariant: return "invariants";
    case Property::memory: return "bounded memory";
    case Property::structure: return "structure";
    case Property::right_coordinator: return "E1";
    case Property::all_elect: return "E2";
    case Property::visits: return "visit length";
  }
  return "?";
}

bool is_safety(Property property) {
  return property != Property::progress && property != Property::all_elect &&
         property != Property::visits;
}

namespace {

std::string name(Node node, const Holder& holder) {
  std::string wish = holder.wish == Wish{} ? "" : ", " + print(holder.wish);
  return std::to_string(node) + " (fence " + print(holder.fence) + wish + ")";
}

}  // namespace

void Inside::insert(Node node, const Holder& holder) {
  auto place = std::lower_bound(holders_.begin(), holders_.end(), node,
                                [](const auto& each, Node sought) { return each.first < sought; });
  bool is_there = place != holders_.end() && place->first == node;
  is_there ? void(place->second = holder) : void(holders_.insert(place, {node, holder}));
}

void Inside::erase(Node node) {
  std::erase_if(holders_, [&](const auto& each) { return each.first == node; });
}

Finding ExclusionOracle::enter(Node node, Fence fence, const Wish& wish) {
  Finding finding;
  Holder entering{fence, wish};
  for (const auto& [other, holder] : inside_) {
    if (finding || !holder.wish.conflicts(wish)) continue;
    finding = "two holders: " + name(node, entering) + " entered while " + name(other, holder) +
              " was inside";
  }
  inside_.insert(node, entering);
  return finding;
}

Finding FenceOracle::enter(Node node, Fence fence, const Wish& wish) {
  Finding finding;
  Fence newest;
  handed_out_.visit(wish.range, [&](const Range&, Fence each) { newest = std::max(newest, each); });
  if (wish.mode == Mode::read) {
    finding = enter_to_read(node, fence, wish.range);
  } else if (fence > newest) {
    writers_.set(wish.range, fence);
  } else {
    finding = std::to_string(node) + " entered with fence " + print(fence) + " after fence " +
              print(newest);
  }
  handed_out_.update(wish.range, [&](Fence before) { return std::max(before, fence); });
  return finding;
}

Finding FenceOracle::enter_to_read(Node node, Fence fence, const Range& range) const {
  Fence last;
  writers_.visit(range, [&](const Range&, Fence each) { last = std::max(last, each); });
  if (fence == last || (has_crashed_ && fence > last)) return {};
  return std::to_string(node) + " entered to read with fence " + print(fence) +
         ", but the last writer before it had fence " + print(last);
}

Finding DataOracle::compare(Node node, const Range& range, std::uint64_t version) const {
  Finding finding;
  written_.visit(range, [&](const Range& part, std::uint64_t written) {
    if (finding || written == version) return;
    finding = std::to_string(node) + " got version " + std::to_string(version) + " of " +
              (part == Range{} ? "the data" : print(part)) + ", but version " +
              std::to_string(written) + " was released before";
  });
  return finding;
}

Finding DataOracle::compare_parts(Node node, const Range& range, const Entered& entered) const {
  std::uint64_t position = range.begin;
  for (const Part& part : entered.parts) {
    if (part.range.begin != position || !part.range.valid()) break;
    if (Finding finding = compare(node, part.range, part.baton.data.version)) return finding;
    position = part.range.end;
  }
  if (position == range.end) return {};
  return std::to_string(node) + " asked for " + print(range) +
         " and got other parts: " + print(entered.parts);
}

Finding DataOracle::enter(Node node, const Entered& entered, const Wish& wish) {
  DataRef& found = found_[node];
  found = entered.baton.data;
  if (std::exchange(may_be_lost_, false))
    written_.update(wish.range,
                    [&](std::uint64_t written) { return std::min(written, found.version); });
  if (entered.parts.empty()) return compare(node, wish.range, found.version);
  for (const Part& part : entered.parts)
    found.version = std::max(found.version, part.baton.data.version);
  return compare_parts(node, wish.range, entered);
}

DataRef DataOracle::release(Node node, const Wish& wish) {
  DataRef data = found_[node];
  if (wish.mode == Mode::read) return data;
  written_.set(wish.range, ++data.version);
  data.location = NodeId{node};
  return found_[node] = data;
}

void DataOracle::crashed(Node node) {
  found_[node] = {};
  auto is_newest = [&](const DataRef& data) { return data.version == written_.at(0); };
  may_be_lost_ = std::none_of(found_.begin(), found_.end(), is_newest);
}

DataRef DataOracle::recover(const std::vector<Node>& dead) {
  for (Node node : dead) found_[node] = {};
  DataRef newest =
      *std::max_element(found_.begin(), found_.end(),
                        [](const DataRef& a, const DataRef& b) { return a.version < b.version; });
  written_.update(Range{},
                  [&](std::uint64_t written) { return std::min(written, newest.version); });
  may_be_lost_ = false;
  return newest;
}

Finding TokenOracle::after_call(Node node, int difference) {
  tokens_ += difference;
  if (difference == 0) return {};
  return std::to_string(node) + (difference > 0 ? " made" : " lost") + " a token: there are " +
         std::to_string(tokens_);
}

Finding AddresseeOracle::send(Node from, Node to, const std::string& message) const {
  if (!gone_[to]) return {};
  return std::to_string(from) + " sent " + message + " to " + std::to_string(to) +
         ", which has left";
}

Finding AddresseeOracle::arrive(Node from, Node to, const std::string& message) const {
  if (!gone_[to]) return {};
  return message + " of " + std::to_string(from) + " reached " + std::to_string(to) +
         ", which has left";
}

Finding memory_at_rest(std::size_t remembered, std::size_t allowed) {
  if (remembered <= allowed) return {};
  return "at rest the nodes remember " + std::to_string(remembered) +
         " things, but those of a new group only " + std::to_string(allowed);
}

Causality::Causality(Node nodes) : clocks_(nodes, Clock(nodes, 0)) {}

void Causality::merge(Node node, const Clock& other) {
  Clock& clock = clocks_[node];
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

Finding OrderOracle::enter(Node node) {
  const Causality::Clock entering = *std::exchange(requests_[node], std::nullopt);
  for (Node other = 0; other < requests_.size(); ++other) {
    if (!requests_[other]) continue;
    bool happened_before = entering[other] >= (*requests_[other])[other];
    if (happened_before)
      return std::to_string(node) + " entered before " + std::to_string(other) +
             ", whose request happened before its own";
  }
  return {};
}

}  // namespace conch::oracle
