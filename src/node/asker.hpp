// The clients and threads that wait for a survey of the group, which all get the same answer.
//
// A client that asks while a survey is under way waits for the next one, because the current survey
// may miss what has happened since. So however many clients ask, a member answers one survey at a
// time.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "node/talk.hpp"
#include "node/world.hpp"

namespace conch::node {

/// A client, or a thread of this process, which gets the answer by a callback.
template <class Answer>
using Asker = std::variant<ClientId, std::function<void(Answer)>>;

/// Gives the answer to every asker; `sender` is the node.
template <class Answer, class Sender>
void answer_all(const std::vector<Asker<Answer>>& askers, const Answer& answer, Sender& sender) {
  std::string bytes;
  encode(bytes, ClientReply(answer));
  for (const Asker<Answer>& asker : askers) {
    if (const auto* client = std::get_if<ClientId>(&asker)) {
      sender.send(*client, bytes);
    } else {
      std::get<1>(asker)(answer);
    }
  }
}

/// Removes a client that has disconnected.
template <class Answer>
void forget(std::vector<Asker<Answer>>& askers, ClientId client) {
  std::erase_if(askers, [&](const Asker<Answer>& asker) {
    const auto* one = std::get_if<ClientId>(&asker);
    return one && *one == client;
  });
}

}  // namespace conch::node
