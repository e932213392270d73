#include "sim/describe.hpp"

#include "catalog/classes.hpp"
#include "core/print.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

std::string describe(const CatalogEntry& algorithm, const Said& said) {
  return with_real_algorithm(algorithm, [&]<class A>(std::type_identity<A>) {
    typename A::Message message;
    CONCH_EXPECT(Decoder(said.bytes).decode(message), "a value's message can be decoded");
    return print(message);
  });
}

}  // namespace

std::string describe(const CatalogEntry& algorithm, const Message& message) {
  if (const auto* told = std::get_if<LockMessage>(&message))
    return (told->message ? describe(algorithm, *told->message) : "WAKE") + " of epoch " +
           std::to_string(told->epoch.value);
  if (const auto* freeze = std::get_if<Freeze>(&message))
    return "FREEZE(view " + std::to_string(freeze->view.number) + ")";
  if (const auto* hello = std::get_if<Hello>(&message))
    return "HELLO(view " + std::to_string(hello->view.number) + ")";
  return print(message);
}

std::string describe(const Question& question) {
  if (const auto* propose = std::get_if<Propose>(&question))
    return "PROPOSE(view " + std::to_string(propose->view.number) + ")";
  return print(question);
}

std::map<std::string, std::string> fields_of(const CatalogEntry& algorithm, const Value& value) {
  std::map<std::string, std::string> fields;
  with_real_algorithm(algorithm, [&]<class A>(std::type_identity<A>) {
    visit_fields(*static_cast<const A*>(value->object()),
                 [&](std::string_view name, const auto& field) {
                   fields[std::string(label(name))] = print(field);
                 });
  });
  return fields;
}

}  // namespace conch::sim
