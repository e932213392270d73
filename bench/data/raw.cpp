// The lower bound: `send` and `recv` of the whole block, into memory that is used again.
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "way.hpp"

namespace conch::bench {

namespace {

class RawEnd : public End {
 public:
  RawEnd(int socket, std::size_t size) : socket_(socket), block_(size) {}

  void give() override {
    for (std::span<std::byte> left = block_; !left.empty();)
      left = left.subspan(moved(::send(socket_, left.data(), left.size(), MSG_NOSIGNAL)));
  }
  void take() override {
    for (std::span<std::byte> left = block_; !left.empty();)
      left = left.subspan(moved(::recv(socket_, left.data(), left.size(), 0)));
  }
  std::span<std::byte> block() override { return block_; }

 private:
  static std::size_t moved(ssize_t bytes) {
    if (bytes < 0) throw std::system_error(errno, std::generic_category(), "a raw stream");
    if (bytes == 0) throw std::runtime_error("the other end of the raw stream is gone");
    return static_cast<std::size_t>(bytes);
  }

  int socket_;
  std::vector<std::byte> block_;
};

class RawStream : public PairWay {
 public:
  explicit RawStream(Transport transport)
      : PairWay(transport == Transport::tcp ? "raw stream, TCP" : "raw stream, Unix"),
        transport_(transport) {}

 protected:
  void prepare(std::size_t size) override {
    size_ = size;
    ends_ = connected(transport_);
  }
  std::unique_ptr<End> enter(int process) override {
    return std::make_unique<RawEnd>((process == 0 ? ends_.ours : ends_.theirs).number(), size_);
  }

 private:
  Transport transport_;
  std::size_t size_ = 0;
  Ends ends_;
};

}  // namespace

std::unique_ptr<Way> raw_stream(Transport transport) {
  return std::make_unique<RawStream>(transport);
}

}  // namespace conch::bench
