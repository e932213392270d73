// The messages of one algorithm (CONCH_FUZZED), as a peer reads them: whatever is understood can be
// said again, and is then understood in the same way.
#include <tuple>

#include "catalog/catalog.hpp"
#include "core/encode.hpp"
#include "fuzz.hpp"
#include "recovery/orders.hpp"

using namespace conch;
using namespace conch::recovery;

namespace {

using Read = recovery::Message<CONCH_FUZZED>;

template <class... As>
constexpr int count_real(std::type_identity<std::tuple<As...>>) {
  return ((As::about.use == Use::real ? 1 : 0) + ...);
}
static_assert(count_real(std::type_identity<Algorithms>{}) == CONCH_FUZZED_COUNT,
              "fuzz/CMakeLists.txt does not name every algorithm that runs for real");

template <class Choice, std::size_t... indices>
std::vector<Choice> each_of(std::index_sequence<indices...>) {
  return {Choice(std::in_place_index<indices>)...};
}
template <class Choice>
std::vector<Choice> each() {
  return each_of<Choice>(std::make_index_sequence<std::variant_size_v<Choice>>{});
}

std::string bytes_of(const Read& message) {
  std::string bytes;
  encode(bytes, message);
  return bytes;
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const Read& message : each<Read>()) all.push_back(bytes_of(message));
  for (const auto& message : each<CONCH_FUZZED::Message>())
    all.push_back(bytes_of(Told<CONCH_FUZZED>{"a", Epoch{1}, message}));
  View view{1, Epoch{1}, "ring", {}, Roster({{NodeId{1}, Incarnation{1}, "tcp:a:1", false}}), {}};
  all.push_back(bytes_of(Freeze{view}));
  Install install{Epoch{1}, {}};
  install.locks.emplace_back();
  all.push_back(bytes_of(install));
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::plant(*argc, *argv, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Read message;
  Decoder decoder(fuzz::view_of(data, size));
  if (!decoder.decode(message) || !decoder.finish()) {
    fuzz::require(!decoder.error().empty(), "what is not understood has a reason");
    return 0;
  }
  std::string bytes = bytes_of(message);
  Read again;
  Decoder second(bytes);
  fuzz::require(second.decode(again) && second.finish(), "what was understood can be said");
  fuzz::require(again == message, "it is understood in the same way");
  return 0;
}
