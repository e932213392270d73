#include "peer/names.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <conch/error.hpp>
#include <cstdlib>
#include <string>

#include "core/clusters.hpp"
#include "node/names.hpp"

namespace conch::peer {

namespace {

constexpr std::size_t group_bytes_max = 64;

unsigned byte(char c) { return static_cast<unsigned char>(c); }
bool between(unsigned low, unsigned value, unsigned high) { return low <= value && value <= high; }

bool is_ascii_letter_or_digit(char c) {
  return between('a', byte(c), 'z') || between('A', byte(c), 'Z') || between('0', byte(c), '9');
}

}  // namespace

std::string group_named(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("CONCH_GROUP");  // NOLINT(concurrency-mt-unsafe)
  return variable != nullptr && *variable != '\0' ? variable : "default";
}

std::string cluster_named(const std::string& given) {
  if (!given.empty() && given != measured_cluster) return given;
  std::array<char, HOST_NAME_MAX + 1> host{};
  bool known = ::gethostname(host.data(), host.size() - 1) == 0;
  std::string name = host.data();
  return known && is_label(name) ? name : "host";
}

void check_cluster_name(std::string_view name) {
  if (is_label(name)) return;
  throw Error(ErrorCode::bad_argument,
              fmt::format("{} is not a cluster label: use one or more parts, as in site/rack, of "
                          "printable ASCII without spaces, at most 200 bytes",
                          node::shown(name)));
}

void check_group_name(std::string_view name) {
  auto allowed = [](char c) {
    return is_ascii_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > group_bytes_max || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), allowed))
    throw Error(ErrorCode::bad_argument,
                fmt::format("{} is not a group name: use 1 to {} of a-z, A-Z, 0-9, '.', '_' and "
                            "'-', not beginning with a dot",
                            node::shown(name), group_bytes_max));
}

}  // namespace conch::peer
