// Runs before libFuzzer: puts the seeds of the target into the corpus, the first folder on the
// command line, if it is empty.
#include <filesystem>
#include <fstream>

#include "fuzz.hpp"

using namespace conch;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    std::filesystem::path folder = (*argv)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    if (!std::filesystem::is_empty(folder)) return 0;
    std::size_t number = 0;
    for (const std::string& seed : fuzz::seeds())
      std::ofstream(folder / ("seed." + std::to_string(number++)), std::ios::binary) << seed;
    return 0;
  }
  return 0;
}
