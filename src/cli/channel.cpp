#include "cli/channel.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstring>
#include <string_view>

namespace conch::cli {

namespace {

struct Header {
  std::uint32_t texts_size;
  std::int32_t number;
  Word word;
};

/// A message of one part, with room for one descriptor.
struct ControlMessage {
  iovec part{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};

  ControlMessage(void* bytes, std::size_t size) : part{bytes, size} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
  }
  void make_room() {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  void enclose(int descriptor) {
    make_room();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  net::Descriptor enclosed() {
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return net::Descriptor(descriptor);
  }
};

std::string bytes_of(const KeeperMessage& note) {
  std::string texts;
  for (const std::string& text : note.texts) {
    texts += text;
    texts += '\0';
  }
  Header header{};
  header.texts_size = static_cast<std::uint32_t>(texts.size());
  header.number = note.number;
  header.word = note.word;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + texts;
}

}  // namespace

std::pair<KeeperChannel, KeeperChannel> KeeperChannel::make() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(std::string("cannot create a socket for the command's keeper: ") +
                std::strerror(errno));
  return {KeeperChannel(ends[0]), KeeperChannel(ends[1])};
}

bool KeeperChannel::send(const KeeperMessage& note, int along) {
  std::string bytes = bytes_of(note);
  for (std::size_t sent = 0; sent < bytes.size();) {
    ControlMessage parcel(bytes.data() + sent, bytes.size() - sent);
    if (along >= 0 && sent == 0) parcel.enclose(along);
    ssize_t more = ::sendmsg(socket_.number(), &parcel.message, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return false;
    sent += static_cast<std::size_t>(more);
  }
  return true;
}

bool KeeperChannel::fill(void* bytes, std::size_t size) {
  for (std::size_t filled = 0; filled < size;) {
    ControlMessage parcel(static_cast<char*>(bytes) + filled, size - filled);
    parcel.make_room();
    ssize_t more = ::recvmsg(socket_.number(), &parcel.message, MSG_CMSG_CLOEXEC);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    if (net::Descriptor enclosed = parcel.enclosed()) along_ = std::move(enclosed);
    filled += static_cast<std::size_t>(more);
  }
  return true;
}

std::optional<KeeperMessage> KeeperChannel::receive() {
  Header header{};
  if (!fill(&header, sizeof header)) return std::nullopt;
  std::string texts(header.texts_size, '\0');
  if (!fill(texts.data(), texts.size())) return std::nullopt;
  KeeperMessage note{header.word, header.number, {}};
  for (std::string_view rest = texts; !rest.empty();) {
    std::size_t size = std::min(rest.find('\0'), rest.size() - 1);
    note.texts.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size + 1);
  }
  return note;
}

}  // namespace conch::cli
