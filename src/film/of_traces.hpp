// Traces as a film: merged and judged as `conch trace check` does it.
#pragma once

#include <vector>

#include "audit/stream.hpp"
#include "film/film.hpp"

namespace conch::film {

/// Throws Error if one of them is not a trace, or if they are not of one run. The algorithm is the
/// one that the trace names, unless it is said.
Builder film_of(std::vector<audit::TraceStream*> streams, About about);

}  // namespace conch::film
