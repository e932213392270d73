#include "trace/happening.hpp"

namespace conch::trace {

std::string_view word(Happening happening) {
  switch (happening) {
    case Happening::request: return "request";
    case Happening::enter: return "enter";
    case Happening::exit: return "exit";
    case Happening::cancel: return "cancel";
    case Happening::withdrawn: return "withdrawn";
    case Happening::send: return "send";
    case Happening::receive: return "receive";
    case Happening::lose: return "lose";
    case Happening::duplicate: return "duplicate";
    case Happening::tell: return "tell";
    case Happening::told: return "told";
    case Happening::join: return "join";
    case Happening::joined: return "joined";
    case Happening::leave: return "leave";
    case Happening::left: return "left";
    case Happening::crash: return "crash";
    case Happening::restart: return "restart";
    case Happening::pause: return "pause";
    case Happening::resume: return "resume";
    case Happening::suspect: return "suspect";
    case Happening::partition: return "partition";
    case Happening::heal: return "heal";
    case Happening::elect: return "elect";
    case Happening::elected: return "elected";
    case Happening::retire: return "retire";
    case Happening::lost: return "lost";
    case Happening::epoch: return "epoch";
    case Happening::gap: return "gap";
  }
  return "?";
}

std::optional<Happening> happening_of(std::string_view sought) {
  for (int number = 0; number <= static_cast<int>(last_happening); ++number)
    if (auto each = static_cast<Happening>(number); word(each) == sought) return each;
  return std::nullopt;
}

}  // namespace conch::trace
