// A participant's messages as a person reads them: of a view its number, of a lock's message what
// it says.
#pragma once

#include <string>

#include "core/print.hpp"
#include "recovery/orders.hpp"
#include "recovery/register_talk.hpp"

namespace conch::recovery {

template <Exclusive A>
std::string describe(const Message<A>& message) {
  if (const auto* told = std::get_if<Told<A>>(&message))
    return (told->message ? print(*told->message) : "WAKE") + " of epoch " +
           std::to_string(told->epoch.value);
  if (const auto* freeze = std::get_if<Freeze>(&message))
    return "FREEZE(view " + std::to_string(freeze->view.number) + ")";
  if (const auto* hello = std::get_if<Hello>(&message))
    return "HELLO(view " + std::to_string(hello->view.number) + ")";
  return print(message);
}

inline std::string describe(const Question& question) {
  if (const auto* propose = std::get_if<Propose>(&question))
    return "PROPOSE(view " + std::to_string(propose->view.number) + ")";
  return print(question);
}

}  // namespace conch::recovery
