#include "register/view_file.hpp"

#include <gtest/gtest.h>

#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "register/directory.hpp"
#include "register/register.hpp"
#include "register/testing/views.hpp"

namespace conch::file::view_file_test {

ViewFile some_file(Dice& dice) {
  std::vector<recovery::Member> members;
  for (std::uint64_t id = 0, size = dice.below(6); id < size; ++id)
    members.push_back({NodeId{3 * id + dice.below(3)}, Incarnation{dice.number()},
                       std::string(dice.below(20), 'x'), id > 0 && dice.percent(20)});
  recovery::View view{1 + dice.below(1000),
                      Epoch{static_cast<std::uint32_t>(1 + dice.below(99))},
                      "naimi-trehel",
                      life(dice.below(9)),
                      recovery::Roster(members),
                      {}};
  if (dice.percent(30)) view.evicted.push_back(life(dice.below(9), dice.number()));
  return {view, dice.percent(50) ? "views.65.0123456789abcdef" : ""};
}

std::string complaint(std::string_view bytes) {
  try {
    view_file(bytes, "a/view.7");
  } catch (const RegisterError& error) {
    return error.what();
  }
  return "";
}

const std::string remedy = "; restore it, or stop all peers and remove the state directory";

TEST(ViewFile, ReadsWhatWasWritten) {
  Dice dice(1);
  for (int i = 0; i < 1000; ++i) {
    ViewFile file = some_file(dice);
    ASSERT_EQ(view_file(to_bytes(file), "a"), file) << print(file);
  }
  ChainFile terms{"views.1.a", 64, std::chrono::seconds(5)};
  EXPECT_EQ(chain_file(to_bytes(terms), "a"), terms);
}

TEST(ViewFile, SaysWhatItIsInItsFirstLine) {
  std::string bytes = to_bytes(ViewFile{});
  EXPECT_EQ(bytes.substr(0, 13), "conch view 1 ");
  EXPECT_EQ(bytes.find('\n'), 13u + 16u);
  EXPECT_EQ(to_bytes(ChainFile{}).substr(0, 14), "conch chain 1 ");
}

TEST(ViewFile, EachComplaintNamesTheFileAndSaysWhatToDo) {
  EXPECT_EQ(complaint(""), "a/view.7 is empty" + remedy);
  EXPECT_EQ(complaint("#!/bin/sh\n"),
            "a/view.7 is not a view file of conch; it does not belong there" + remedy);
  EXPECT_EQ(complaint(to_bytes(ChainFile{"a", 1, Duration(1)})),
            "a/view.7 is not a view file of conch; it does not belong there" + remedy);
  EXPECT_EQ(complaint("conch view x 0\n"), "a/view.7 has no format number" + remedy);
  EXPECT_EQ(complaint("conch view 2 whatever comes"),
            "a/view.7 has format 2, this conch knows 1; a newer conch wrote it; use that one");
  EXPECT_EQ(complaint("conch view 1 0000000000000000\nview"),
            "a/view.7 is torn: its checksum is wrong" + remedy);
  EXPECT_EQ(complaint(std::string(view_bytes_max + 1, 'x')),
            "a/view.7 is larger than 1048576 bytes" + remedy);
}

TEST(ViewFile, ATermThatMakesNoSenseIsRefused) {
  EXPECT_THROW(chain_file(to_bytes(ChainFile{"a", 0, Duration(1)}), "a"), RegisterError);
  EXPECT_THROW(chain_file(to_bytes(ChainFile{"a", 1, Duration(0)}), "a"), RegisterError);
  ViewFile twice;
  twice.view.number = 1;  // This also lacks an epoch.
  EXPECT_NE(complaint(to_bytes(twice)).find("is malformed: a malformed View"), std::string::npos);
}

TEST(ViewFile, RefusesEveryPrefix) {
  Dice dice(2);
  for (int i = 0; i < 50; ++i) {
    std::string bytes = to_bytes(some_file(dice));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_NE(complaint(bytes.substr(0, size)), "") << size << " of " << bytes.size();
  }
}

std::string spoilt(std::string bytes, Dice& dice) {
  for (std::uint64_t i = 0, changes = 1 + dice.below(4); i < changes; ++i) {
    std::size_t place = dice.below(bytes.size());
    switch (dice.below(3)) {
      case 0: bytes.erase(place, 1 + dice.below(4)); break;
      case 1: bytes.insert(place, 1, static_cast<char>(dice.number())); break;
      default: bytes[place] = static_cast<char>(dice.number());
    }
  }
  return bytes;
}

/// The same bytes after the first line, with a matching checksum.
std::string resealed(const std::string& bytes) {
  std::string payload = bytes.substr(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  return "conch view 1 " + checksum(payload) + "\n" + payload;
}

/// True if the bytes are a view, which must be valid and survive a round trip; false if they are
/// refused with a message.
bool expect_sense(const std::string& bytes) {
  try {
    ViewFile file = view_file(bytes, "a");
    EXPECT_TRUE(file.view.valid() && file.view.roster.valid()) << print(file);
    EXPECT_EQ(view_file(to_bytes(file), "a"), file);
    return true;
  } catch (const RegisterError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 2), "a ");
    return false;
  }
}

TEST(ViewFile, MakesSenseOfGarbageOrRefusesIt) {
  Dice dice(3);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string noise(dice.below(60), '\0');
    for (char& byte : noise) byte = static_cast<char>(dice.number());
    switch (dice.below(4)) {
      case 0: refused += !expect_sense(noise); break;
      case 1: refused += !expect_sense("conch view 1 " + noise); break;
      case 2: refused += !expect_sense(spoilt(to_bytes(some_file(dice)), dice)); break;
      case 3:
        ++(expect_sense(resealed(spoilt(to_bytes(some_file(dice)), dice))) ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 30'000);
}

}  // namespace conch::file::view_file_test
