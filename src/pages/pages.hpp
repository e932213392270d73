// The pages of web/, as they are in a program. Each is a library of its own (cmake/pages.cmake), so
// that a program has those that it shows.
#pragma once

#include <string>
#include <string_view>

namespace conch::pages {

// A build without pages has one in their place that says so.
std::string_view live();
std::string_view playground();
std::string_view report();
std::string_view viewer();

/// The page with data for its script: see `inlineData` of web/src/shared/dom.ts. `type` is that of
/// the data, as in application/json.
std::string with_data(std::string_view page, std::string_view type, std::string_view data);

}  // namespace conch::pages
