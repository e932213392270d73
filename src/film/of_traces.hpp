// Makes a film from traces, merged and checked as `conch trace check` does.
#pragma once

#include <vector>

#include "audit/stream.hpp"
#include "film/film.hpp"

namespace conch::film {

/// Throws Error if one of them is not a trace, or if they are not of one run. If `about` has no
/// algorithm, takes the one that the trace names.
Builder film_of(std::vector<audit::TraceStream*> streams, RecordingInfo about);

}  // namespace conch::film
