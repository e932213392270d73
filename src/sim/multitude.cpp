#include "sim/multitude.hpp"

#include <stdexcept>

#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/sigma.hpp"
#include "sim/multitude_world.hpp"

namespace conch::sim {

namespace {

template <class P>
MultitudeResult run_over(const MultitudeOptions& options) {
  if (options.overlay == "pastry") return Multitude<P, overlay::Pastry>(options).run();
  if (options.overlay == "chord") return Multitude<P, overlay::Chord>(options).run();
  throw std::invalid_argument("an overlay is pastry or chord, not " + options.overlay);
}

}  // namespace

MultitudeResult run_multitude(const MultitudeOptions& options) {
  if (options.protocol == "sigma") return run_over<overlay::Sigma>(options);
  if (options.protocol == "end-to-end") return run_over<overlay::EndToEnd>(options);
  if (options.protocol == "non-end-to-end") return run_over<overlay::NonEndToEnd>(options);
  throw std::invalid_argument("no protocol over an overlay is called " + options.protocol);
}

}  // namespace conch::sim
