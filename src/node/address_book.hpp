// The addresses of nodes, in a group where nobody has a list of all members. A peer that names a
// node to another one also says where that node is, once; the other one learns it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/kinds.hpp"
#include "core/members.hpp"
#include "recovery/effects.hpp"
#include "recovery/view.hpp"

namespace conch::node {

using recovery::Introduction;

/// Calls `f` with every node that a value mentions, by its field lists.
template <class T, class F>
void for_each_node(const T& value, F&& f) {
  if constexpr (std::same_as<T, NodeId>) {
    f(value);
  } else if constexpr (Number<T> || std::same_as<T, std::string>) {
    return;
  } else if constexpr (Maybe<T>) {
    if (value) for_each_node(*value, f);
  } else if constexpr (Choice<T>) {
    std::visit([&](const auto& chosen) { for_each_node(chosen, f); }, value);
  } else if constexpr (Pair<T>) {
    for_each_node(value.first, f);
    for_each_node(value.second, f);
  } else if constexpr (HasFields<T>) {
    visit_fields(value, [&](std::string_view, const auto& field) { for_each_node(field, f); });
  } else {
    for (const auto& element : value) for_each_node(element, f);
  }
}

class AddressBook {
 public:
  /// As many as a peer has channels (wire/limits.hpp). Beyond that, the least recently used entry
  /// goes.
  static constexpr std::size_t size_max = 4096;
  /// How many introductions to one life are remembered. Beyond that, all are made again.
  static constexpr std::size_t introduced_max = 1024;

  /// True if the node was unknown, or had another life or address. Older lives are not learned.
  bool learn(const Introduction& met) {
    auto [place, fresh] = entries_.try_emplace(met.life.id);
    Entry& entry = place->second;
    if (!fresh && met.life.incarnation < entry.met.life.incarnation) return false;
    bool news = fresh || met.life != entry.met.life || met.address != entry.met.address;
    if (!fresh && met.life != entry.met.life) introduced_.erase(entry.met.life);
    if (news) entry = {met, ++clock_};
    if (entries_.size() > size_max) drop_oldest(met.life.id);
    return news;
  }
  void forget(const PeerInstance& life) {
    introduced_.erase(life);
    auto found = entries_.find(life.id);
    if (found != entries_.end() && found->second.met.life == life) entries_.erase(found);
  }

  /// Null if the node is not known.
  const Introduction* find(NodeId node) {
    auto found = entries_.find(node);
    if (found == entries_.end()) return nullptr;
    found->second.used = ++clock_;
    return &found->second.met;
  }

  /// The nodes that `to` has to hear of before it can understand the message. They count as
  /// introduced from then on.
  template <class M>
  std::vector<Introduction> introductions(const PeerInstance& to, NodeId self, const M& message) {
    std::set<PeerInstance>& known = introduced_[to];
    if (known.size() > introduced_max) known.clear();
    std::vector<Introduction> result;
    auto introduce = [&](NodeId node) {
      const Introduction* met = node == to.id ? nullptr : find(node);
      if (!met || met->address.empty()) return;
      if (known.insert(met->life).second) result.push_back(*met);
    };
    introduce(self);
    for_each_node(message, introduce);
    return result;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Introduction met;
    /// When it was used last, by the book's own clock.
    std::uint64_t used = 0;
  };

  void drop_oldest(NodeId but) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->first != but && (oldest == entries_.end() || it->second.used < oldest->second.used))
        oldest = it;
    introduced_.erase(oldest->second.met.life);
    entries_.erase(oldest);
  }

  std::uint64_t clock_ = 0;
  std::map<NodeId, Entry> entries_;
  std::map<PeerInstance, std::set<PeerInstance>> introduced_;
};

}  // namespace conch::node
