// Memory of a simulated machine, for data that locks protect. Processes of one machine share it; it
// lives as long as any of them has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "node/block.hpp"

namespace conch::sim {

class SimulatedBlock final : public node::Block {
 public:
  /// Whether bytes are kept. A simulation that only measures times keeps just their size.
  enum class Bytes : std::uint8_t { kept, none };

  /// `meanwhile` is called before every look at shared memory: another process that shares it may
  /// change it just then.
  explicit SimulatedBlock(std::uint64_t identity, Bytes bytes = Bytes::kept,
                          std::function<void()> meanwhile = {})
      : memory_(std::make_shared<Memory>()), keeps_bytes_(bytes == Bytes::kept) {
    memory_->identity = identity;
    memory_->meanwhile = std::move(meanwhile);
  }
  /// The same memory for another process. From then on neither block is private.
  std::shared_ptr<SimulatedBlock> share() {
    is_private_ = false;
    return std::make_shared<SimulatedBlock>(*this);
  }

  std::uint64_t version() const override { return looked_at().version; }
  std::uint64_t size() const override { return looked_at().size; }
  bool is_written() const override { return looked_at().writer != 0; }
  bool is_private() const override { return is_private_; }
  std::uint64_t identity() const override { return memory_->identity; }

  void clear() override { memory_->version = 0; }
  bool begin_writing(std::uint64_t mark) override {
    if (looked_at().writer != 0) return false;
    memory_->writer = mark;
    return true;
  }
  void finish(std::uint64_t version, std::uint64_t size) override {
    memory_->version = version;
    memory_->size = size;
    memory_->writer = 0;
  }
  void reserve(std::uint64_t capacity) override {
    if (keeps_bytes_ && memory_->bytes.size() < capacity) memory_->bytes.resize(capacity);
  }

  std::string text(std::uint64_t size) override { return memory_->bytes.substr(0, size); }
  void fill(std::string_view bytes, std::uint64_t at) override {
    if (!keeps_bytes_) return;
    reserve(at + bytes.size());
    memory_->bytes.replace(at, bytes.size(), bytes);
  }
  void copy(node::Block& from, std::uint64_t size) override { fill(from.text(size), 0); }
  void zero(std::uint64_t begin, std::uint64_t end) override {
    if (keeps_bytes_) fill(std::string(end - begin, '\0'), begin);
  }

 private:
  struct Memory {
    std::uint64_t identity = 0;
    std::uint64_t version = 0;
    std::uint64_t size = 0;
    std::uint64_t writer = 0;
    std::string bytes;
    std::function<void()> meanwhile;
  };
  const Memory& looked_at() const {
    if (memory_->meanwhile && !is_private_) memory_->meanwhile();
    return *memory_;
  }

  std::shared_ptr<Memory> memory_;
  bool keeps_bytes_;
  bool is_private_ = true;
};

}  // namespace conch::sim
