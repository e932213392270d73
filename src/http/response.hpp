// Builds the responses of the server, byte for byte.
#pragma once

#include <string>
#include <string_view>

#include "http/server.hpp"

namespace conch::http {

/// Security headers: each page is one file that loads nothing from elsewhere, and no text is ever
/// run as a script.
std::string common_headers(bool runs_wasm = false);
/// The head of a response whose body has this size.
std::string head(std::string_view status, std::string_view type, std::size_t size,
                 bool runs_wasm = false);
std::string response(std::string_view status, std::string_view type, std::string_view text,
                     bool with_body);
/// Without a reason, the body is the status.
std::string refusal(std::string_view status, std::string_view why = {});

/// Status 503 with `Retry-After: 1`.
std::string busy(std::string_view why);

/// The page or action that the request names; null if there is none.
const Page* page_of(const HttpRequest& request, const HttpOptions& options);

}  // namespace conch::http
