// Where the nodes are that messages speak of. Nobody has a list of all: whoever names a node to
// another says where it is, once; who hears of it writes it down.
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

/// Every node that a value mentions, by its field lists.
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
  /// As many as a courier has channels (wire/limits.hpp); of more, those go that were not used for
  /// longest.
  static constexpr std::size_t size_max = 4096;
  /// So many are known to be known to one; of more, all are introduced again.
  static constexpr std::size_t introduced_max = 1024;

  /// Whether it was not known, or not there. An older life of a node is not learnt.
  bool learn(const Introduction& met) {
    auto [place, fresh] = entries_.try_emplace(met.life.id);
    Entry& entry = place->second;
    if (!fresh && met.life.incarnation < entry.met.life.incarnation) return false;
    bool news = fresh || met.life != entry.met.life || met.address != entry.met.address;
    if (news) entry = {met, ++clock_};
    if (entries_.size() > size_max) drop_oldest(met.life.id);
    return news;
  }
  void forget(const recovery::Life& life) {
    introduced_.erase(life);
    auto found = entries_.find(life.id);
    if (found != entries_.end() && found->second.met.life == life) entries_.erase(found);
  }

  /// Null if it is not known.
  const Introduction* find(NodeId node) {
    auto found = entries_.find(node);
    if (found == entries_.end()) return nullptr;
    found->second.used = ++clock_;
    return &found->second.met;
  }

  /// Who has to be introduced to this one before it can make sense of a message; they are, then.
  template <class M>
  std::vector<Introduction> introductions(const recovery::Life& to, NodeId self, const M& message) {
    std::set<recovery::Life>& known = introduced_[to];
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
    /// When, in the book's own counting.
    std::uint64_t used = 0;
  };

  void drop_oldest(NodeId but) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->first != but && (oldest == entries_.end() || it->second.used < oldest->second.used))
        oldest = it;
    entries_.erase(oldest);
  }

  std::uint64_t clock_ = 0;
  std::map<NodeId, Entry> entries_;
  std::map<recovery::Life, std::set<recovery::Life>> introduced_;
};

}  // namespace conch::node
