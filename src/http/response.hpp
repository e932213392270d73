// What the server says, byte for byte.
#pragma once

#include <string>
#include <string_view>

#include "http/server.hpp"

namespace conch::http {

/// A page is one file, and shows and loads nothing of elsewhere. No text is ever run as a script.
std::string common_headers(bool runs_wasm = false);
/// What comes before so many bytes.
std::string head(std::string_view status, std::string_view type, std::size_t size,
                 bool runs_wasm = false);
std::string response(std::string_view status, std::string_view type, std::string_view text,
                     bool with_body);
/// Without a reason, the status is one.
std::string refusal(std::string_view status, std::string_view why = {});

/// Whoever asks again a second later may be served.
std::string busy(std::string_view why);

/// What it asks for, if that exists.
const Page* page_of(const Request& request, const HttpOptions& options);

}  // namespace conch::http
