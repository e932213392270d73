#include "core/expect.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace conch {

namespace {
thread_local int watches = 0;
}

InvariantWatch::InvariantWatch() { ++watches; }
InvariantWatch::~InvariantWatch() { --watches; }

void invariant_broken(std::string_view condition, std::string_view why,
                      std::source_location where) {
  if (watches > 0) throw BrokenInvariant(std::string(why) + ": " + std::string(condition));
  std::fprintf(stderr, "conch: broken invariant: %.*s\n  %.*s is false in %s (%s:%u)\n",
               static_cast<int>(why.size()), why.data(), static_cast<int>(condition.size()),
               condition.data(), where.function_name(), where.file_name(), where.line());
  std::abort();
}

}  // namespace conch
