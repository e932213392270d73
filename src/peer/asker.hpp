// The clients that wait for a survey of the group, and how one answer goes to all of them.
//
// A client that asks while a survey is under way waits for the next: the one that is under way may
// have missed what has happened since. So however many ask, each member answers one survey at a
// time.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "net/courier.hpp"
#include "peer/talk.hpp"

namespace conch::peer {

/// A client, or a thread of this process, which is told under the engine's guard.
template <class Answer>
using Asker = std::variant<net::ClientId, std::function<void(Answer)>>;

template <class Answer>
void answer_all(const std::vector<Asker<Answer>>& askers, const Answer& answer,
                net::Courier& courier) {
  std::string bytes;
  encode(bytes, ClientReply(answer));
  for (const Asker<Answer>& asker : askers) {
    if (const auto* client = std::get_if<net::ClientId>(&asker)) {
      courier.send(*client, bytes);
    } else {
      std::get<1>(asker)(answer);
    }
  }
}

/// A client that has gone wants nothing any more.
template <class Answer>
void forget(std::vector<Asker<Answer>>& askers, net::ClientId client) {
  std::erase_if(askers, [&](const Asker<Answer>& asker) {
    const auto* one = std::get_if<net::ClientId>(&asker);
    return one && *one == client;
  });
}

}  // namespace conch::peer
