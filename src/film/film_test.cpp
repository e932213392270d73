#include "film/film.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace conch::film::film_test {

/// Reads a film as a page does, with just enough JSON for that.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(bytes_.substr(0, 8), "conchfil");
    EXPECT_EQ(number(8), 1U);
    EXPECT_EQ(number(12) % 8, 0U);
    header_ = bytes_.substr(16, number(12));
  }

  const std::string& header() const { return header_; }
  bool says(std::string_view text) const { return header_.find(text) != std::string::npos; }
  template <class T>
  std::vector<T> column(const std::string& name) const {
    std::size_t at = header_.find("{\"name\":\"" + name + "\",\"type\"");
    EXPECT_NE(at, std::string::npos) << name;
    std::size_t offset = after(at, "\"offset\":"), length = after(at, "\"length\":");
    EXPECT_EQ(offset % 8, 0U);
    std::vector<T> list(length);
    const char* begin = bytes_.data() + 16 + header_.size() + offset;
    if (length > 0) std::memcpy(list.data(), begin, length * sizeof(T));
    return list;
  }
  std::string text(std::uint32_t number) const {
    if (number == none) return "-";
    auto begins = column<std::uint32_t>("text_at");
    auto all = column<char>("text");
    return {all.begin() + begins[number], all.begin() + begins[number + 1]};
  }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> list;
    for (std::uint32_t number : column<std::uint32_t>(name)) list.push_back(text(number));
    return list;
  }
  std::vector<std::uint32_t> mates() const { return column<std::uint32_t>("mate"); }

 private:
  std::uint32_t number(std::size_t at) const {
    std::uint32_t read = 0;
    std::memcpy(&read, bytes_.data() + at, sizeof read);
    return read;
  }
  std::size_t after(std::size_t at, std::string_view name) const {
    return std::stoull(header_.substr(header_.find(name, at) + name.size()));
  }

  std::string bytes_;
  std::string header_;
};

Builder of(NodeIndex nodes) {
  Builder builder({.title = "a run", .algorithm = "naimi-trehel", .family = "tree"});
  for (NodeIndex node = 0; node < nodes; ++node) builder.add_node({std::to_string(node)});
  return builder;
}

using Numbers = std::vector<std::uint32_t>;
using Words = std::vector<std::string>;

TEST(Film, HasAHeaderAndColumns) {
  Builder builder = of(2);
  builder.add({1500, Happening::request, 1});
  builder.add({1500, Happening::send, 1, 0, "REQUEST(origin 1)", "deploy"});
  builder.add({1800, Happening::receive, 0, 1, "REQUEST(origin 1)", "deploy"});
  Reader film(builder.bytes());
  EXPECT_TRUE(
      film.says(R"("title":"a run","command":"","algorithm":"naimi-trehel","family":"tree")"));
  EXPECT_TRUE(film.says(R"("unit":"ns","nodes":[{"name":"0","cluster":0,"site":0},{"name":"1")"));
  EXPECT_TRUE(film.says(R"("locks":["deploy"],"words":["request","enter",)"));
  EXPECT_TRUE(film.says(R"("kinds":["REQUEST"],"violations":[],"captions":[],"events":3)"));
  EXPECT_EQ(film.column<double>("at"), (std::vector<double>{0, 0, 300}));
  EXPECT_EQ(film.column<std::uint8_t>("word"), (std::vector<std::uint8_t>{0, 5, 6}));
  EXPECT_EQ(film.column<std::uint32_t>("node"), (Numbers{1, 1, 0}));
  EXPECT_EQ(film.column<std::uint32_t>("peer"), (Numbers{none, 0, 1}));
  EXPECT_EQ(film.column<std::uint16_t>("kind"), (std::vector<std::uint16_t>{0xffff, 0, 0}));
  EXPECT_EQ(film.column<std::uint32_t>("lock"), (Numbers{none, 0, 0}));
  EXPECT_EQ(film.texts("detail"), (Words{"-", "REQUEST(origin 1)", "REQUEST(origin 1)"}));
}

TEST(Film, ASendAndWhereItEndsAreMates) {
  Builder builder = of(2);
  builder.add({1, Happening::send, 0, 1, "A"});
  builder.add({2, Happening::send, 0, 1, "B"});
  builder.add({3, Happening::send, 0, 1, "A"});
  builder.add({4, Happening::receive, 1, 0, "B"});
  builder.add({5, Happening::receive, 1, 0, "A"});
  builder.add({6, Happening::lose, 0, 1, "A"});
  builder.add({7, Happening::receive, 1, 0, "nobody sent this"});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{4, 3, 5, 1, 0, 2, none}));
}

TEST(Film, TwoThatSayTheSameAreToldApartByTheirNumbers) {
  Builder builder = of(2);
  builder.add({.happening = Happening::send, .node = 0, .peer = 1, .detail = "A", .message = 1});
  builder.add({.happening = Happening::send, .node = 0, .peer = 1, .detail = "A", .message = 2});
  builder.add({.happening = Happening::receive, .node = 1, .peer = 0, .detail = "A", .message = 2});
  builder.add({.happening = Happening::receive, .node = 1, .peer = 0, .detail = "A", .message = 1});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{3, 2, 1, 0}));
}

TEST(Film, ACopyPointsAtItsSend) {
  Builder builder = of(2);
  builder.add({1, Happening::send, 0, 1, "A"});
  builder.add({1, Happening::duplicate, 0, 1, "A"});
  builder.add({2, Happening::receive, 1, 0, "A"});
  builder.add({3, Happening::receive, 1, 0, "A"});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{2, 0, 0, 0}));
}

TEST(Film, ARequestAndItsEntryAnEntryAndItsEnd) {
  Builder builder = of(2);
  builder.add({1, Happening::request, 0});
  builder.add({2, Happening::enter, 0});
  builder.add({3, Happening::exit, 0});
  builder.add({4, Happening::request, 0});
  builder.add({5, Happening::withdrawn, 0});
  builder.add({6, Happening::request, 1});
  builder.add({7, Happening::enter, 1});
  builder.add({8, Happening::crash, 1});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{1, 2, 1, 4, 3, 6, 7, 6}));
}

TEST(Film, APeerMayHaveSeveralThreads) {
  Builder builder = of(1);
  for (Happening each : {Happening::request, Happening::request, Happening::enter, Happening::enter,
                         Happening::exit, Happening::exit})
    builder.add({.happening = each, .lock = "a"});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{2, 3, 4, 5, 2, 3}));
}

TEST(Film, ACrashEndsTheStaysInAllLocks) {
  Builder builder = of(1);
  builder.add({.happening = Happening::enter, .node = 0, .lock = "a"});
  builder.add({.happening = Happening::enter, .node = 0, .lock = "b"});
  builder.add({.happening = Happening::exit, .node = 0, .lock = "a"});
  builder.add({.happening = Happening::crash, .node = 0});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{2, 3, 0, 1}));
}

TEST(Film, WhatIsToldArrives) {
  Builder builder = of(2);
  builder.add({1, Happening::tell, 0, 1});
  builder.add({2, Happening::told, 1, 0});
  EXPECT_EQ(Reader(builder.bytes()).mates(), (Numbers{1, 0}));
}

TEST(Film, AStateIsWrittenWhenItChanges) {
  Builder builder = of(2);
  builder.initial_state(1, "owner 0");
  for (std::string_view state : {"owner 0", "owner 0", "owner 1", ""})
    builder.add({.node = 1, .state = state});
  builder.add({.node = 0, .state = "owner 1"});
  Reader film(builder.bytes());
  EXPECT_EQ(film.texts("state"), (Words{"owner 0", "-", "owner 1", "-", "owner 1"}));
  EXPECT_TRUE(film.says(R"({"name":"1","cluster":0,"site":0,"state":0})")) << film.header();
}

TEST(Film, SaysWhatBrokeAndWhatIsToBeSeen) {
  Builder builder = of(2);
  builder.caption("1 \"asks\"\n");
  builder.add({1, Happening::request, 1});
  builder.add({2, Happening::enter, 1});
  builder.violation("ME1", "two holders", {0, 1});
  builder.caption("the end");
  Reader film(builder.bytes());
  EXPECT_TRUE(film.says(
      R"("violations":[{"event":1,"property":"ME1","what":"two holders","nodes":[0,1]}])"));
  EXPECT_TRUE(film.says(
      R"("captions":[{"event":0,"text":"1 \"asks\"\u000a"},{"event":1,"text":"the end"}])"));
}

TEST(Film, OfNothing) {
  Builder builder = of(0);
  builder.caption("nothing happens");
  Reader film(builder.bytes());
  EXPECT_TRUE(film.says(R"("events":0)"));
  EXPECT_TRUE(film.column<double>("at").empty());
  EXPECT_EQ(film.column<std::uint32_t>("text_at"), Numbers{0});
}

TEST(Film, TimeDoesNotGoBack) {
  Builder builder = of(1);
  for (std::int64_t at : {5, 9, 7}) builder.add({.at = at});
  EXPECT_EQ(Reader(builder.bytes()).column<double>("at"), (std::vector<double>{0, 4, 4}));
}

TEST(Film, ANodeMayHaveAPlaceOnARing) {
  Builder builder = of(0);
  builder.add_node({"a", 1, 2, 0xabc});
  EXPECT_TRUE(Reader(builder.bytes())
                  .says(R"([{"name":"a","cluster":1,"site":2,"ring":"0000000000000abc"}])"));
}

TEST(Film, FamiliesAreThoseOfTheAlgorithms) {
  EXPECT_EQ(family_of("naimi-trehel"), "tree");
  EXPECT_EQ(family_of("preempt-aggregation@reset"), "hierarchical");
  EXPECT_EQ(family_of("unheard-of"), "peers");
}

TEST(FilmTexts, AreKeptOnce) {
  Texts texts;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(texts.number(std::to_string(i)), i);
  }
  EXPECT_EQ(texts.size(), 1000U);
  EXPECT_EQ(texts[999], "999");
  EXPECT_EQ(texts.number(""), 1000U);
  EXPECT_EQ(texts[1000], "");
}

TEST(FilmTexts, EndSomewhere) {
  Texts texts(5);
  texts.number("abc");
  texts.number("ab");
  EXPECT_EQ(texts.number("abc"), 0U);
  EXPECT_THROW(texts.number("x"), std::length_error);
}

}  // namespace conch::film::film_test
