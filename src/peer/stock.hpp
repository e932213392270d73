// What a peer has in memory of one resource.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/types.hpp"
#include "peer/buffer.hpp"

namespace conch::peer {

class Stock {
 public:
  /// Where this version is, whole; none if it is not here.
  std::shared_ptr<Buffer> find(std::uint64_t version) const {
    if (current_ && current_->has(version)) return current_;
    return spare_ && spare_->has(version) ? spare_ : nullptr;
  }
  /// For who holds the lock and was told of this version: it is the newest from here on.
  std::shared_ptr<Buffer> find_newest(std::uint64_t version) {
    if (spare_ && spare_->has(version)) std::swap(current_, spare_);
    return find(version);
  }
  /// Where this version was when its next writer died.
  std::shared_ptr<Buffer> find_torn(std::uint64_t version) const {
    return current_ && current_->is_torn(version) ? current_ : nullptr;
  }
  /// The newest version that is here and whole; 0 if none is.
  std::uint64_t version() const {
    return current_ && !current_->is_written() ? current_->version() : 0;
  }
  std::uint64_t size() const { return current_ ? current_->size() : 0; }

  /// One to be filled, which nobody else sees; the newest data stay where they are.
  std::shared_ptr<Buffer> take_spare(std::uint64_t capacity) {
    std::shared_ptr<Buffer> spare = std::exchange(spare_, nullptr);
    bool is_free = spare && spare->is_private() && !spare->is_written();
    if (!is_free) return std::make_shared<Buffer>(capacity);
    spare->clear();
    spare->reserve(capacity);
    return spare;
  }
  void put_spare(std::shared_ptr<Buffer> buffer) {
    if (!current_ || !current_->is_same_memory(*buffer)) spare_ = std::move(buffer);
  }
  /// It has the newest data. What was newest before may be filled next.
  void install(std::shared_ptr<Buffer> buffer) {
    if (spare_ && spare_->is_same_memory(*buffer)) spare_.reset();
    std::shared_ptr<Buffer> before = std::exchange(current_, std::move(buffer));
    if (before && !before->is_same_memory(*current_)) spare_ = std::move(before);
  }

  /// It came with the lock, perhaps. It is unpacked by who has the lock and was told of this
  /// version; until then nothing here has changed.
  void enclose(std::uint64_t version, std::string bytes) {
    enclosed_ = Enclosed{version, std::move(bytes)};
  }
  /// None if it did not come, or has no room.
  std::shared_ptr<Buffer> unpack(const DataRef& data) {
    std::optional<Enclosed> enclosed = std::exchange(enclosed_, std::nullopt);
    bool is_meant =
        enclosed && enclosed->version == data.version && enclosed->bytes.size() == data.size;
    if (!is_meant) return nullptr;
    try {
      std::shared_ptr<Buffer> buffer = take_spare(data.size);
      std::memcpy(buffer->writable(data.size).data(), enclosed->bytes.data(), data.size);
      buffer->finish(data.version, data.size);
      install(buffer);
      return buffer;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  /// The version that this peer answers for, because it wrote or inherited it; 0 if for none.
  std::uint64_t owed = 0;
  /// Something newer than this version is elsewhere.
  std::uint64_t outdated = 0;
  /// The version that the recovery knows to be here.
  std::uint64_t told = 0;
  /// Of this process.
  unsigned handles = 0;

 private:
  struct Enclosed {
    std::uint64_t version = 0;
    std::string bytes;
  };

  std::shared_ptr<Buffer> current_;
  std::shared_ptr<Buffer> spare_;
  std::optional<Enclosed> enclosed_;
};

}  // namespace conch::peer
