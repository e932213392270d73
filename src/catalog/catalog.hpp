// The list of algorithms by name: what the command line, the lab, the checker and the peers offer.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/contract.hpp"
#include "mutex/central.hpp"
#include "mutex/lamport.hpp"
#include "mutex/maekawa.hpp"
#include "mutex/maekawa_textbook.hpp"
#include "mutex/naimi_trehel.hpp"
#include "mutex/naimi_trehel_specimens.hpp"
#include "mutex/raymond.hpp"
#include "mutex/ricart_agrawala.hpp"
#include "mutex/ricart_agrawala_kept.hpp"
#include "mutex/ring.hpp"
#include "mutex/ring_idle_hold.hpp"
#include "mutex/suzuki_kasami.hpp"

namespace conch {

/// Every algorithm that enters alone, in the order in which tables show them.
using Algorithms = std::tuple<Central, Ring, RingIdleHold, RicartAgrawala, RicartAgrawalaKept,
                              MaekawaTextbook, Maekawa, Lamport, SuzukiKasami, Raymond, NaimiTrehel,
                              NaimiTrehelIdleOwner, RingPassesBy>;

/// What an algorithm can do, as a world asks.
struct Capabilities {
  bool token = false;
  bool causal = false;
  bool dynamic = false;
  bool suspecting = false;
  bool shared = false;
};

template <Algorithm A>
constexpr Capabilities capabilities_of() {
  return {TokenBased<A>, Causal<A>, Dynamic<A>, Suspecting<A>, Shared<A>};
}

struct CatalogEntry {
  About about;
  Capabilities can;
};

std::span<const CatalogEntry> catalog();

/// No algorithm has this name; the message suggests the nearest one.
class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

const CatalogEntry& find_algorithm(std::string_view name);

/// The candidate that needs the fewest edits, if that is few.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// Calls f with the algorithm of this name as std::type_identity<A>.
template <class F>
decltype(auto) with_algorithm(std::string_view name, F&& f) {
  const About& about = find_algorithm(name).about;
  using Result = std::invoke_result_t<F, std::type_identity<std::tuple_element_t<0, Algorithms>>>;
  Result (*call)(F&) = nullptr;
  [&]<class... As>(std::type_identity<std::tuple<As...>>) {
    ((As::about.name == about.name
          ? void(call = [](F& g) -> Result { return g(std::type_identity<As>{}); })
          : void()),
     ...);
  }(std::type_identity<Algorithms>{});
  return call(f);
}

}  // namespace conch
