// What the fuzz targets share. Each is one file whose input is what somebody hostile could send: it
// defines `seeds`, and LLVMFuzzerTestOneInput, which libFuzzer calls. Where there is no libFuzzer,
// replay.cpp does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace conch::fuzz {

/// Inputs that make sense, so that nobody has to invent them.
std::vector<std::string> seeds();

/// For a target that is there for each of several algorithms: which, in this program.
std::vector<std::string> fuzzed();

/// Ends the run as a finding, in every build type.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

inline std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace conch::fuzz
