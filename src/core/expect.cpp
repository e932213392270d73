#include "core/expect.hpp"

#include <cstdio>
#include <cstdlib>

namespace conch {

void invariant_broken(std::string_view condition, std::string_view why,
                      std::source_location where) {
  std::fprintf(stderr, "conch: broken invariant: %.*s\n  %.*s is false in %s (%s:%u)\n",
               static_cast<int>(why.size()), why.data(), static_cast<int>(condition.size()),
               condition.data(), where.function_name(), where.file_name(), where.line());
  std::abort();
}

}  // namespace conch
