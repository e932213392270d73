// The pages of web/, embedded in a program. Each page is a library of its own (cmake/pages.cmake),
// so that a program contains only the pages that it shows.
#pragma once

#include <string>
#include <string_view>

namespace conch::pages {

// A build without pages has a placeholder for each, which says so.
std::string_view live();
std::string_view playground();
std::string_view report();
std::string_view viewer();

/// Returns the page with data for its script: see `inlineData` of web/src/shared/dom.ts. `type` is
/// the media type of the data, such as application/json.
std::string with_data(std::string_view page, std::string_view type, std::string_view data);

}  // namespace conch::pages
