#include "capi/environment.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace conch::capi {

namespace {

/// Returns "" for an unset variable; callers treat an empty one as unset.
std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

[[noreturn]] void refuse(const char* name, const std::string& value, const char* wanted) {
  throw Error(ErrorCode::bad_argument, std::string(name) + "=" + value + ": " + wanted);
}

bool flag(const char* name) {
  std::string value = variable(name);
  for (const char* yes : {"1", "yes", "true", "on"})
    if (value == yes) return true;
  for (const char* no : {"", "0", "no", "false", "off"})
    if (value == no) return false;
  refuse(name, value, "expected 1 or 0");
}

std::vector<std::string> list(const char* name) {
  std::vector<std::string> parts;
  std::string value = variable(name);
  for (std::string_view rest = value; !rest.empty();) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) parts.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return parts;
}

std::optional<std::chrono::milliseconds> milliseconds(const char* name) {
  std::string value = variable(name);
  if (value.empty()) return std::nullopt;
  int number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number <= 0)
    refuse(name, value, "expected a number of milliseconds, such as 5000");
  return std::chrono::milliseconds(number);
}

/// Replaces %p by the process id, so that processes with the same environment can have a file each.
std::string of_this_process(std::string path) {
  std::string process = std::to_string(::getpid());
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at))
    path.replace(at, 2, process);
  return path;
}

}  // namespace

PeerOptions options_from_environment(const std::string& group) {
  PeerOptions options;
  options.group = group;
  options.option_names = OptionNames::environment;
  options.algorithm = variable("CONCH_ALGORITHM");
  options.listen = list("CONCH_LISTEN");
  options.advertise = variable("CONCH_ADVERTISE");
  options.join = list("CONCH_JOIN");
  options.etcd = {list("CONCH_REGISTER"),          variable("CONCH_REGISTER_CA"),
                  variable("CONCH_REGISTER_CERT"), variable("CONCH_REGISTER_KEY"),
                  variable("CONCH_REGISTER_USER"), variable("CONCH_REGISTER_PASSWORD_FILE")};
  options.insecure = flag("CONCH_INSECURE");
  options.tcp_only = flag("CONCH_TCP_ONLY");
  options.tls = {variable("CONCH_TLS_CERT"), variable("CONCH_TLS_KEY"), variable("CONCH_TLS_CA")};
  options.persist = flag("CONCH_PERSIST");
  options.trace = of_this_process(variable("CONCH_TRACE"));
  options.lease = milliseconds("CONCH_LEASE_MS");
  return options;
}

}  // namespace conch::capi
