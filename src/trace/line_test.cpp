#include "trace/line.hpp"

#include <gtest/gtest.h>

namespace conch::trace::line_test {

std::string printed(const Line& line) {
  std::string out;
  append(out, line);
  return out;
}

Line parsed(std::string_view text) {
  std::string why;
  auto line = parse_line(text, why);
  EXPECT_TRUE(line) << why;
  return line.value_or(Line{});
}

std::string fault_of(std::string_view text) {
  std::string why;
  EXPECT_FALSE(parse_line(text, why));
  return why;
}

TEST(TraceLine, OfASimulatedNode) {
  Line line{1500, Happening::enter, false, "3"};
  line.detail = "fence 1.7";
  EXPECT_EQ(printed(line), R"({"at":1500,"event":"enter","node":3,"detail":"fence 1.7"})"
                           "\n");
}

TEST(TraceLine, OfALivePeerComesBackAsItWas) {
  Line line{1500, Happening::send, true, "ab"};
  line.peer = "cd";
  line.life = "7";
  line.number = 9;
  line.lock = R"(a \"quoted\" \\ lock)";
  line.bytes = 21;
  line.detail = "TOKEN";
  std::string text = printed(line);
  EXPECT_EQ(text, R"({"at":1500,"event":"send","node":"ab","peer":"cd","life":"7","n":9,)"
                  R"("lock":"a \"quoted\" \\ lock","bytes":21,"detail":"TOKEN"})"
                  "\n");
  text.pop_back();
  EXPECT_EQ(printed(parsed(text)), text + "\n");
}

TEST(TraceLine, AnEpochNamesItsMembers) {
  Line line{1, Happening::epoch, true, "ab"};
  line.epoch = 3;
  line.members = "ab.1 cd.2";
  EXPECT_EQ(printed(line), R"({"at":1,"event":"epoch","node":"ab","epoch":3,"members":"ab.1 cd.2"})"
                           "\n");
}

TEST(TraceLine, AName) {
  std::string room;
  EXPECT_EQ(escaped("plain", room), "plain");
  EXPECT_EQ(escaped(R"(a"b\c)", room), R"(a\"b\\c)");
}

TEST(TraceLine, WhatANewerWriterSaysIsSkipped) {
  Line line = parsed(R"({"at":1,"event":"exit","node":2,"colour":"red","size":-4})");
  EXPECT_EQ(line.happening, Happening::exit);
  EXPECT_EQ(line.node, "2");
  EXPECT_FALSE(line.live);
}

TEST(TraceLine, WhatIsNoLine) {
  std::string no_object = "it is not a JSON object of texts and numbers";
  EXPECT_EQ(fault_of(""), no_object);
  EXPECT_EQ(fault_of("group default"), no_object);
  EXPECT_EQ(fault_of(R"({"at":1,"event":"exit","node":2)"), no_object);
  EXPECT_EQ(fault_of(R"({"at":1,"event":"exit","node":2} )"), no_object);
  EXPECT_EQ(fault_of(R"({"at":"x","event":"exit","node":2})"), no_object);
  EXPECT_EQ(fault_of(R"({"at":1,"event":"exit","node":"2\)"), no_object);
  EXPECT_EQ(fault_of(R"({"at":1,"event":"dance","node":2})"), "unknown event \"dance\"");
  EXPECT_EQ(fault_of(R"({"event":"exit","node":2})"), "no \"at\", \"event\" and \"node\" in it");
}

TEST(TraceLine, EveryWordIsKnown) {
  for (int i = 0; i <= static_cast<int>(last_happening); ++i) {
    auto happening = static_cast<Happening>(i);
    EXPECT_EQ(happening_of(word(happening)), happening);
  }
}

}  // namespace conch::trace::line_test
