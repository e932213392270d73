#include "recovery/orders.hpp"

namespace conch::recovery {

std::string read(std::string_view bytes, const AnyAlgorithm& algorithm, Message& message) {
  Decoder decoder(bytes);
  if (!decoder.decode(message) || !decoder.finish()) return decoder.error();
  auto* told = std::get_if<Told>(&message);
  return told && told->message ? algorithm.read(*told->message) : "";
}

}  // namespace conch::recovery
