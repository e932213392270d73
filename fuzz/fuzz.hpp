// The interface of the fuzz targets. Each target is one file, whose input is what an attacker could
// send. It defines `seeds`, and LLVMFuzzerTestOneInput, which libFuzzer calls. Without libFuzzer,
// replay.cpp calls it.
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

/// Valid inputs, so that the fuzzer need not invent them.
std::vector<std::string> seeds();

/// The algorithms with which this program runs a target that depends on the algorithm.
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
