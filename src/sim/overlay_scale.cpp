#include "sim/overlay_scale.hpp"

#include <stdexcept>

#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/sigma.hpp"
#include "sim/overlay_scale_world.hpp"

namespace conch::sim {

namespace {

template <class P>
OverlayScaleResult run_over(const OverlayScaleOptions& options) {
  if (options.overlay == "pastry") return OverlayScaleRun<P, overlay::Pastry>(options).run();
  if (options.overlay == "chord") return OverlayScaleRun<P, overlay::Chord>(options).run();
  throw std::invalid_argument("an overlay is pastry or chord, not " + options.overlay);
}

}  // namespace

OverlayScaleResult run_overlay_scale(const OverlayScaleOptions& options) {
  if (options.protocol == "sigma") return run_over<overlay::Sigma>(options);
  if (options.protocol == "end-to-end") return run_over<overlay::EndToEnd>(options);
  if (options.protocol == "non-end-to-end") return run_over<overlay::NonEndToEnd>(options);
  throw std::invalid_argument("unknown protocol over an overlay: " + options.protocol);
}

}  // namespace conch::sim
