#include "register/etcd_names.hpp"

#include <algorithm>

#include "register/process.hpp"

namespace conch::etcd {

namespace {

constexpr std::size_t view_digits = 20;

}  // namespace

std::string KeyNames::view(std::uint64_t number) const {
  std::string digits = std::to_string(number);
  return prefix_ + "view/" + std::string(view_digits - digits.size(), '0') + digits;
}

std::string KeyNames::lease(const PeerInstance& life) const {
  return prefix_ + "lease/" + file::name_of_life(life);
}
std::string KeyNames::gone(const PeerInstance& life) const {
  return prefix_ + "gone/" + file::name_of_life(life);
}

std::optional<std::uint64_t> KeyNames::view_in(std::string_view key) const {
  auto rest = file::after(prefix_ + "view/", key);
  if (!rest || rest->size() != view_digits) return std::nullopt;
  rest->remove_prefix(std::min(rest->find_first_not_of('0'), rest->size()));
  return file::number_in(*rest);
}

std::optional<PeerInstance> KeyNames::lease_in(std::string_view key) const {
  auto rest = file::after(prefix_ + "lease/", key);
  return rest ? file::life_named(*rest) : std::nullopt;
}

}  // namespace conch::etcd
