// The data of one lock that a peer has in memory: the newest version, and a spare block that the
// next one is read into.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/types.hpp"
#include "node/block.hpp"

namespace conch::node {

class VersionedBlocks {
 public:
  using Shared = std::shared_ptr<Block>;

  /// The block that has this version whole; null if none has.
  Shared find(std::uint64_t version) const {
    if (current_ && current_->has(version)) return current_;
    return spare_ && spare_->has(version) ? spare_ : nullptr;
  }
  /// For a holder that was told of this version: it becomes the newest one here.
  Shared find_newest(std::uint64_t version) {
    if (spare_ && spare_->has(version)) std::swap(current_, spare_);
    return find(version);
  }
  /// The block in which this version was when its next writer died.
  Shared find_torn(std::uint64_t version) const {
    return current_ && current_->is_torn(version) ? current_ : nullptr;
  }
  /// The newest version that is here and whole; 0 if there is none.
  std::uint64_t version() const {
    return current_ && !current_->is_written() ? current_->version() : 0;
  }
  /// The newest version that is here, whole or torn; 0 if there is none.
  std::uint64_t version_or_torn() const { return current_ ? current_->version() : 0; }
  /// Whether this version is here and whole, or a newer one is here, perhaps being written on.
  bool has_or_outdates(std::uint64_t version) const {
    return this->version() >= version || version_or_torn() > version;
  }
  /// The newest version that is here and whole. The block is null if there is none, or if another
  /// process of this machine is about to change it.
  struct Whole {
    Shared block;
    std::uint64_t version = 0;
    std::uint64_t size = 0;
  };
  Whole find_whole() const {
    if (!current_) return {};
    Whole whole{current_, current_->version(), current_->size()};
    return current_->has(whole.version) ? whole : Whole{};
  }

  /// A block to fill, which nobody else sees. The newest data stay where they are, because a holder
  /// may still read them and a transfer may be copying them.
  Shared take_spare(std::uint64_t capacity, BlockMaker& maker) {
    Shared spare = std::exchange(spare_, nullptr);
    bool is_free = spare.use_count() == 1 && spare->is_private() && !spare->is_written();
    if (!is_free) return maker.make_block(capacity);
    spare->clear();
    spare->reserve(capacity);
    return spare;
  }
  void put_spare(Shared block) {
    if (!current_ || !current_->is_same_memory(*block)) spare_ = std::move(block);
  }
  /// Makes this block the newest; the previous newest becomes the spare.
  void install(Shared block) {
    if (spare_ && spare_->is_same_memory(*block)) spare_.reset();
    Shared before = std::exchange(current_, std::move(block));
    if (before && !before->is_same_memory(*current_)) spare_ = std::move(before);
  }

  /// Keeps data that arrived ahead of their lock. Only a holder that was told of this very version
  /// unpacks them; until then nothing else changes here.
  void enclose(std::uint64_t version, std::string bytes) {
    enclosed_ = Enclosed{version, std::move(bytes)};
  }
  /// Null if these data did not come ahead of the lock, or there is no memory for them.
  Shared unpack(const DataRef& data, BlockMaker& maker) {
    std::optional<Enclosed> enclosed = std::exchange(enclosed_, std::nullopt);
    bool is_meant =
        enclosed && enclosed->version == data.version && enclosed->bytes.size() == data.size;
    if (!is_meant) return nullptr;
    try {
      Shared block = take_spare(data.size, maker);
      block->fill(enclosed->bytes, 0);
      block->finish(data.version, data.size);
      install(block);
      return block;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

 private:
  struct Enclosed {
    std::uint64_t version = 0;
    std::string bytes;
  };

  Shared current_;
  Shared spare_;
  std::optional<Enclosed> enclosed_;
};

}  // namespace conch::node
