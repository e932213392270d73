// The names that locks may have, and how names and numbers from outside are printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace conch::node {

/// A name is 1 to 255 bytes of UTF-8 without control characters, because it is printed to terminals
/// and logs. Throws Error with a sentence.
void check_lock_name(std::string_view name);

/// Text from outside, made safe to print on one line: invalid bytes and control characters are
/// replaced, and the text is cut after this many bytes.
inline constexpr std::size_t printable_bytes_max = 256;
std::string printable(std::string_view text);
/// A bad name in quotes, made safe to print.
std::string shown(std::string_view name);

std::string in_hex(std::uint64_t number);

}  // namespace conch::node
