// What a lock may be called, and how names and numbers of others are printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace conch::node {

/// 1 to 255 bytes of UTF-8 without control characters: it is printed to terminals and logs. Throws
/// Error with a sentence.
void check_lock_name(std::string_view name);

/// A text from somebody else as one can print it, on one line: what is no character, or controls a
/// terminal, is replaced, and what is longer than this is cut.
inline constexpr std::size_t printable_bytes_max = 256;
std::string printable(std::string_view text);
/// A bad name in quotes, as one can print it.
std::string shown(std::string_view name);

std::string in_hex(std::uint64_t number);

}  // namespace conch::node
