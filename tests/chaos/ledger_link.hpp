// A connection to the ledger (ledger.cpp): every sentence has an answer.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "net/descriptor.hpp"

namespace conch::chaos {

class LedgerLink {
 public:
  LedgerLink(const std::string& path, const std::string& who)
      : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    if (::connect(socket_.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
      throw std::runtime_error("no ledger at " + path);
    say("hello " + who);
  }
  ~LedgerLink() {
    ::send(socket_.number(), "bye", 3, MSG_NOSIGNAL);
    std::array<char, 8> room{};
    ::recv(socket_.number(), room.data(), room.size(), 0);
  }
  LedgerLink(const LedgerLink&) = delete;
  LedgerLink& operator=(const LedgerLink&) = delete;

  /// Does not wait for the answer.
  void tell(const std::string& sentence) const {
    if (::send(socket_.number(), sentence.data(), sentence.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error("the ledger has gone");
  }
  std::string say(const std::string& sentence) const {
    std::array<char, 512> room{};
    tell(sentence);
    ssize_t size = ::recv(socket_.number(), room.data(), room.size(), 0);
    if (size <= 0) throw std::runtime_error("the ledger has gone");
    return {room.data(), static_cast<std::size_t>(size)};
  }

 private:
  net::Descriptor socket_;
};

}  // namespace conch::chaos
