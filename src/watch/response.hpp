// What the server says, byte for byte.
#pragma once

#include <string>
#include <string_view>

#include "watch/http.hpp"

namespace conch::watch {

/// A page is one file, and shows and loads nothing of elsewhere. The playground has WebAssembly in
/// it; no text is ever run as a script.
inline constexpr std::string_view common_headers =
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; "
    "script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Connection: close\r\n";

/// What comes before so many bytes.
std::string head(std::string_view status, std::string_view type, std::size_t size);
std::string response(std::string_view status, std::string_view type, std::string_view text,
                     bool with_body);
/// Without a reason, the status is one.
std::string refusal(std::string_view status, std::string_view why = {});

/// What it asks for, if that exists.
const Page* page_of(const Request& request, const HttpOptions& options);

}  // namespace conch::watch
