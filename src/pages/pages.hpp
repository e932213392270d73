// The pages of web/, as they are in this program.
#pragma once

#include <string>
#include <string_view>

namespace conch::pages {

enum class Name { viewer, playground, report, live };

/// Of a build without pages, one that says so.
std::string_view page(Name name);

/// The page with data for its script: see `inlineData` of web/src/shared/dom.ts. `type` is that of
/// the data, as in application/json.
std::string with_data(std::string_view page, std::string_view type, std::string_view data);

}  // namespace conch::pages
