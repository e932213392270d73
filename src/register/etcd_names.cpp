#include "register/etcd_names.hpp"

#include "register/directory.hpp"

namespace conch::etcd {

using recovery::Incarnation;
using recovery::Life;

namespace {

constexpr std::size_t view_digits = 20;

std::string text_of(const Life& life) {
  return std::to_string(life.id.value) + "." +
         std::to_string(static_cast<std::uint64_t>(life.incarnation));
}

}  // namespace

std::string Names::view(std::uint64_t number) const {
  std::string digits = std::to_string(number);
  return prefix_ + "view/" + std::string(view_digits - digits.size(), '0') + digits;
}

std::string Names::life(const Life& life) const { return prefix_ + "life/" + text_of(life); }
std::string Names::gone(const Life& life) const { return prefix_ + "gone/" + text_of(life); }

std::optional<std::uint64_t> Names::view_in(std::string_view key) const {
  auto rest = file::after(prefix_ + "view/", key);
  if (!rest || rest->size() != view_digits) return std::nullopt;
  rest->remove_prefix(std::min(rest->find_first_not_of('0'), rest->size()));
  return file::number_in(*rest);
}

std::optional<Life> Names::life_in(std::string_view key) const {
  auto rest = file::after(prefix_ + "life/", key);
  if (!rest) return std::nullopt;
  std::size_t dot = std::min(rest->find('.'), rest->size());
  auto id = file::number_in(rest->substr(0, dot));
  auto incarnation = file::number_in(rest->substr(std::min(dot + 1, rest->size())));
  if (!id || !incarnation) return std::nullopt;
  return Life{NodeId{*id}, Incarnation{*incarnation}};
}

}  // namespace conch::etcd
