// Fuzzes the messages of an algorithm and of its recovery: a message that was read can be written
// again, and is then read as the same message.
#include "catalog/classes.hpp"
#include "catalog/real_algorithms.hpp"
#include "core/encode.hpp"
#include "fuzz.hpp"
#include "group.hpp"

using namespace conch;
using namespace conch::recovery;

namespace {

static_assert(std::tuple_size_v<RealAlgorithms> == CONCH_FUZZED_COUNT,
              "fuzz/CMakeLists.txt does not name every algorithm that runs for real");

template <class Read>
std::optional<Read> read_again(std::string_view bytes) {
  Read message;
  Decoder decoder(bytes);
  if (!decoder.decode(message) || !decoder.finish()) {
    fuzz::require(!decoder.error().empty(), "what is not understood has a reason");
    return std::nullopt;
  }
  std::string said;
  encode(said, message);
  Read again;
  Decoder second(said);
  fuzz::require(second.decode(again) && second.finish(), "what was understood can be said");
  fuzz::require(again == message, "it is understood in the same way");
  return message;
}

void read_for(const CatalogEntry& algorithm, std::string_view bytes) {
  std::optional<recovery::Message> message = read_again<recovery::Message>(bytes);
  auto* told = message ? std::get_if<LockMessage>(&*message) : nullptr;
  if (!told || !told->message) return;
  std::string fault = algorithm_of(algorithm).read(*told->message);
  with_real_algorithm(algorithm, [&]<class A>(std::type_identity<A>) {
    bool understood = read_again<typename A::Message>(told->message->bytes).has_value();
    fuzz::require(understood == fault.empty(), "an algorithm knows what it understands");
  });
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> all;
  for (const std::string& name : fuzzed())
    for (std::string& message : messages_of(name)) all.push_back(std::move(message));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::string& name : fuzz::fuzzed())
    read_for(find_algorithm(name), fuzz::view_of(data, size));
  return 0;
}
