#include "register/epoch_floor.hpp"

#include <string_view>

namespace conch {

using namespace std::chrono;

namespace {

constexpr auto believable = years(10);

/// Parses what the compiler writes for __DATE__, such as "Jan  2 2026". Both compilers take it from
/// SOURCE_DATE_EPOCH if that is set, so that builds are reproducible.
constexpr sys_days date_in(std::string_view text) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  auto digit = [&](std::size_t at) { return text[at] == ' ' ? 0 : text[at] - '0'; };
  auto month_number = static_cast<unsigned>(months.find(text.substr(0, 3)) / 3 + 1);
  auto day_number = static_cast<unsigned>(10 * digit(4) + digit(5));
  int year_number = 1000 * digit(7) + 100 * digit(8) + 10 * digit(9) + digit(10);
  return year(year_number) / month(month_number) / day(day_number);
}
static_assert(date_in("Jan  2 2026") == sys_days(year(2026) / 1 / 2));
static_assert(date_in("Dec 31 2037") == sys_days(year(2037) / 12 / 31));

/// The compiler's day may have begun before that of UTC.
constexpr sys_seconds built = date_in(__DATE__) - days(1);

}  // namespace

Epoch epoch_floor(sys_seconds now, sys_seconds built_at) {
  bool fits = now.time_since_epoch().count() <= Fence::last_epoch.value;
  if (now < built_at || now > built_at + believable || !fits) return Epoch{0};
  return Epoch{static_cast<std::uint32_t>(now.time_since_epoch().count())};
}

Fence fence_floor(sys_time<nanoseconds> now, sys_seconds built_at) {
  sys_seconds second = floor<seconds>(now);
  Epoch epoch = epoch_floor(second, built_at);
  if (epoch < Epoch{}) return Fence(Epoch{}, 0);
  auto rest = static_cast<std::uint64_t>((now - second).count());
  return Fence(epoch, (rest << Fence::count_bits) / std::nano::den);
}

Epoch epoch_floor() { return epoch_floor(floor<seconds>(system_clock::now()), built); }
Fence fence_floor() { return fence_floor(system_clock::now(), built); }

}  // namespace conch
