#include "recovery/messages.hpp"

#include "core/print.hpp"

namespace conch::recovery {

std::string read(std::string_view bytes, const AnyAlgorithm& algorithm, Message& message) {
  Decoder decoder(bytes);
  if (!decoder.decode(message) || !decoder.finish()) return decoder.error();
  auto* told = std::get_if<LockMessage>(&message);
  return told && told->message ? algorithm.read(*told->message) : "";
}

std::string_view type_of(const Message& message) {
  const auto* told = std::get_if<LockMessage>(&message);
  if (!told) return name_of(message);
  return told->message ? told->message->type : "USED";
}

}  // namespace conch::recovery
