#include "recovery/effects.hpp"

#include "core/encode.hpp"

namespace conch::recovery {

void Effects::send(const Life& to, Message message) {
  Parcel parcel{.to = to, .begin = bytes.size(), .type = type_of(message)};
  bytes += message_kind;
  encode(bytes, message);
  parcel.size = bytes.size() - parcel.begin;
  if (auto* told = std::get_if<Told>(&message)) {
    parcel.lock = std::move(told->lock);
    if (told->message) parcel.data = told->message->data;
  }
  parcels.push_back(std::move(parcel));
}

}  // namespace conch::recovery
