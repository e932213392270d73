#include "recovery/effects.hpp"

#include "core/encode.hpp"

namespace conch::recovery {

void Effects::send(const PeerInstance& to, Message message) {
  OutgoingMessage outgoing_message{.to = to, .begin = bytes.size(), .type = type_of(message)};
  bytes += message_kind;
  encode(bytes, message);
  outgoing_message.size = bytes.size() - outgoing_message.begin;
  if (auto* told = std::get_if<LockMessage>(&message)) {
    outgoing_message.lock = std::move(told->lock);
    if (told->message) outgoing_message.data = told->message->data;
  }
  outgoing.push_back(std::move(outgoing_message));
}

}  // namespace conch::recovery
