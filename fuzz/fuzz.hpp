// What the fuzz targets share. Each is one file whose input is what somebody hostile could send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace conch::fuzz {

/// Ends the run as a finding, in every build type.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Begins an empty corpus with inputs that make sense, so that the fuzzer does not have to invent
/// them. The corpus is the first folder on the command line, if there is one.
inline void plant(int argc, char** argv, const std::vector<std::string>& seeds) {
  for (int i = 1; i < argc; ++i) {
    std::filesystem::path folder = argv[i];
    if (!std::filesystem::is_directory(folder)) continue;
    if (!std::filesystem::is_empty(folder)) return;
    for (std::size_t number = 0; number < seeds.size(); ++number)
      std::ofstream(folder / ("seed." + std::to_string(number)), std::ios::binary) << seeds[number];
    return;
  }
}

inline std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace conch::fuzz
