#include "peer/saved_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <conch/error.hpp>
#include <filesystem>
#include <fstream>

#include "peer/testing/scratch_group.hpp"

namespace conch::peer::saved_data_test {

namespace fs = std::filesystem;

class SavedDataTest : public testing::Test {
 protected:
  void save(const std::string& lock, const std::string& words) {
    save_data(folder_, lock, std::as_bytes(std::span(words)));
  }
  std::string load(const std::string& lock) {
    Buffer buffer(0);
    std::uint64_t size = load_data(folder_, lock, buffer);
    return {reinterpret_cast<const char*>(buffer.readable(size).data()), size};
  }
  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }

  ScratchGroup group_;
  std::string folder_ = group_.folder() + "/data";
};

TEST_F(SavedDataTest, WhatWasSavedIsLoaded) {
  save("a", "some words");
  save("b/with/strange \xc3\xa4 name", "");
  save("a", "other words");
  EXPECT_EQ(load("a"), "other words");
  EXPECT_EQ(load("b/with/strange \xc3\xa4 name"), "");
  std::vector<std::string> locks = saved_locks(folder_);
  std::sort(locks.begin(), locks.end());
  EXPECT_EQ(locks, (std::vector<std::string>{"a", "b/with/strange \xc3\xa4 name"}));
}

TEST_F(SavedDataTest, NothingWasSaved) {
  EXPECT_TRUE(saved_locks(folder_).empty());
  EXPECT_THROW(load("a"), Error);
}

TEST_F(SavedDataTest, WhatIsForgottenIsGone) {
  save("a", "words");
  forget_data(folder_, "a");
  EXPECT_TRUE(saved_locks(folder_).empty());
}

TEST_F(SavedDataTest, AnyFileThatWasCutShortIsRefused) {
  save("a", std::string(50, 'x'));
  auto whole = fs::file_size(only_file());
  for (auto size = whole; size-- > 0;) {
    fs::resize_file(only_file(), size);
    EXPECT_THROW(load("a"), Error) << size;
  }
}

TEST_F(SavedDataTest, AnyFileOfWhichAByteWasChangedIsRefused) {
  save("a", std::string(50, 'x'));
  fs::path path = only_file();
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_THROW(load("a"), Error) << "byte " << i;
  }
  std::ofstream(path, std::ios::binary) << bytes << "more";
  EXPECT_THROW(load("a"), Error);
}

TEST_F(SavedDataTest, AFolderThatCannotBeWrittenIsSaid) {
  std::ofstream(group_.folder() + "/file") << "";
  EXPECT_THROW(save_data(group_.folder() + "/file/data", "a", {}), Error);
}

}  // namespace conch::peer::saved_data_test
