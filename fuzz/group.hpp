// A group of three members in two clusters, and all messages that they can send to each other.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/classes.hpp"
#include "core/encode.hpp"
#include "recovery/messages.hpp"

namespace conch::fuzz {

/// The identifiers are spread over the ring, for algorithms that have one.
constexpr PeerInstance life(std::uint64_t number) {
  return {NodeId{0x9e37'79b9'7f4a'7c15 * number}, Incarnation{number}};
}
inline constexpr PeerInstance victim = life(2);
/// The last life is a stranger.
inline constexpr std::array others{life(1), life(3), life(9)};

inline recovery::Member member(const PeerInstance& life, std::string_view cluster) {
  recovery::Member member{life.id, life.incarnation};
  member.address = "tcp:10.0.0.1:1";
  member.cluster = cluster;
  return member;
}

inline recovery::View first_view(std::string_view algorithm) {
  recovery::View view;
  view.number = 1;
  view.epoch = Epoch{1};
  view.algorithm = algorithm;
  view.decider = victim;
  view.roster = recovery::Roster(
      {member(others[0], "zurich"), member(victim, "geneva"), member(others[1], "geneva")});
  return view;
}

template <class Choice>
std::vector<Choice> each() {
  return []<std::size_t... indices>(std::index_sequence<indices...>) {
    return std::vector<Choice>{Choice(std::in_place_index<indices>)...};
  }
  (std::make_index_sequence<std::variant_size_v<Choice>>{});
}

/// Encodes every kind of message that members of a group with this algorithm can send.
inline std::vector<std::string> messages_of(std::string_view algorithm) {
  using namespace recovery;
  std::vector<recovery::Message> all = each<recovery::Message>();
  with_real_algorithm(find_algorithm(algorithm), [&]<class A>(std::type_identity<A>) {
    for (const auto& message : each<typename A::Message>()) {
      Said said;
      encode(said.bytes, message);
      all.push_back(LockMessage{"a", Epoch{1}, std::move(said)});
    }
  });
  View next = first_view(algorithm);
  next.number = 2;
  next.epoch = Epoch{2};
  next.decider = others[0];
  Install install{Epoch{2}, {}};
  install.locks.emplace_back();
  all.push_back(LockMessage{"a", Epoch{1}, {}});
  all.push_back(Freeze{next});
  all.push_back(install);
  all.push_back(Hello{first_view(algorithm)});
  all.push_back(Doubt{others[0]});
  std::vector<std::string> texts;
  for (const auto& message : all) encode(texts.emplace_back(), message);
  return texts;
}

/// The report that the victim waits for before the first epoch can begin.
inline std::string first_report() {
  std::string text;
  encode(text, recovery::Message(recovery::Report{Epoch{1}, {}}));
  return text;
}

}  // namespace conch::fuzz
