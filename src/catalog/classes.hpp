// The classes behind the names of the catalogue, for code that makes values of them. A file that
// includes this is compiled again when any algorithm changes.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "catalog/catalog.hpp"
#include "election/bully_specimens.hpp"
#include "election/chang_roberts_specimens.hpp"
#include "mutex/central.hpp"
#include "mutex/elmp.hpp"
#include "mutex/lamport.hpp"
#include "mutex/maekawa.hpp"
#include "mutex/maekawa_textbook.hpp"
#include "mutex/naimi_trehel.hpp"
#include "mutex/naimi_trehel_specimens.hpp"
#include "mutex/preempt_aggregation.hpp"
#include "mutex/preempt_specimens.hpp"
#include "mutex/proxy_specimens.hpp"
#include "mutex/raymond.hpp"
#include "mutex/ricart_agrawala.hpp"
#include "mutex/ricart_agrawala_kept.hpp"
#include "mutex/ring_idle_hold.hpp"
#include "mutex/ring_specimens.hpp"
#include "mutex/suzuki_kasami.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/sigma.hpp"

namespace conch {

/// Every algorithm that is a lock, in the order in which tables show them.
using Algorithms =
    std::tuple<Central, Ring, RingIdleHold, RicartAgrawala, RicartAgrawalaKept, MaekawaTextbook,
               Maekawa, Lamport, SuzukiKasami, Raymond, NaimiTrehel, Proxy, ProxyElected,
               ProxyOwnOwner, Preempt, PreemptTail, PreemptRemoteNext, PreemptAggregation, Elmp,
               NaimiTrehelIdleOwner, RingPassesBy>;

namespace detail {

template <class A>
using IfReal = std::conditional_t<A::about.is_sound(), std::tuple<A>, std::tuple<>>;

template <class... As>
auto real_of(std::type_identity<std::tuple<As...>>)
    -> decltype(std::tuple_cat(std::declval<IfReal<As>>()...));

}  // namespace detail

/// The sound ones, which may run for real.
using RealAlgorithms = decltype(detail::real_of(std::type_identity<Algorithms>{}));

/// Every algorithm that chooses a coordinator.
using Electors = std::tuple<ChangRoberts, ChangRobertsParticipant, Bully, BullySecondElection,
                            BullyListening, BullyRound>;

/// Every protocol over an overlay.
using Protocols = std::tuple<overlay::Sigma, overlay::EndToEnd, overlay::NonEndToEnd>;

template <Algorithm A>
constexpr Capabilities capabilities_of() {
  return {.token = TokenBased<A>,
          .causal = Causal<A>,
          .dynamic = Dynamic<A>,
          .suspecting = Suspecting<A>,
          .structured = Structured<A>,
          .timed = Timed<A>,
          .shared = Shared<A>,
          .elects = Elector<A>,
          .restarts = Restarting<A>};
}

/// Calls f with the class of an entry, one of `Classes`, as std::type_identity<A>. Values of it
/// must start from `tuned` assignments.
template <class Classes, class F>
decltype(auto) with_one_of(const CatalogEntry& entry, F&& f) {
  using Result = std::invoke_result_t<F, std::type_identity<std::tuple_element_t<0, Classes>>>;
  Result (*call)(F&) = nullptr;
  [&]<class... As>(std::type_identity<std::tuple<As...>>) {
    ((As::about.name == entry.algorithm
          ? void(call = [](F& g) -> Result { return g(std::type_identity<As>{}); })
          : void()),
     ...);
  }(std::type_identity<Classes>{});
  CONCH_EXPECT(call != nullptr, "the entry is of this family");
  return call(f);
}

template <class F>
decltype(auto) with_algorithm(const CatalogEntry& entry, F&& f) {
  return with_one_of<Algorithms>(entry, f);
}

/// The same for an entry that is not a specimen.
template <class F>
decltype(auto) with_real_algorithm(const CatalogEntry& entry, F&& f) {
  return with_one_of<RealAlgorithms>(entry, f);
}

template <class F>
decltype(auto) with_protocol(const CatalogEntry& entry, F&& f) {
  return with_one_of<Protocols>(entry, f);
}

template <class F>
decltype(auto) with_elector(const CatalogEntry& entry, F&& f) {
  return with_one_of<Electors>(entry, f);
}

}  // namespace conch
