// Conch through its public C++ API. The next holder requests the block before it is released, so
// the lock goes straight to it, and the data follow.
#include <conch/data.hpp>
#include <optional>

#include "conch_options.hpp"
#include "outcome.hpp"
#include "way.hpp"

namespace conch::bench {

namespace {

class ConchEnd : public End {
 public:
  ConchEnd(const PeerOptions& options, std::size_t size)
      : peer_(options), data_(peer_, "block"), size_(size) {}

  void begin() override {
    expect_ok(data_.request());
    expect_ok(data_.acquire());
    expect_ok(data_.resize(size_));
    bytes_ = data_.bytes();
  }
  void ask() override { expect_ok(data_.request()); }
  void take() override {
    expect_ok(data_.acquire());
    bytes_ = data_.bytes();
  }
  void give() override { expect_ok(data_.release()); }
  std::span<std::byte> block() override { return bytes_; }

 private:
  Peer peer_;
  Data data_;
  std::size_t size_;
  std::span<std::byte> bytes_;
};

class ConchData : public PairWay {
 public:
  explicit ConchData(Transport transport)
      : PairWay(transport == Transport::tcp ? "conch, TCP" : "conch, Unix"),
        transport_(transport) {}

  /// Moves a block of 0 bytes, too: the lock alone.
  bool carries(std::size_t) const override { return true; }

 protected:
  /// Makes a new group for each measurement.
  void prepare(std::size_t size) override {
    size_ = size;
    folder_.emplace();
  }
  std::unique_ptr<End> enter(int) override {
    return std::make_unique<ConchEnd>(peer_options(folder_->path(), "naimi-trehel", transport_),
                                      size_);
  }

 private:
  Transport transport_;
  std::size_t size_ = 0;
  std::optional<ScratchFolder> folder_;
};

}  // namespace

std::unique_ptr<Way> conch_data(Transport transport) {
  return std::make_unique<ConchData>(transport);
}

}  // namespace conch::bench
