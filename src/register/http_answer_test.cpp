#include "register/http_answer.hpp"

#include <gtest/gtest.h>

namespace conch::http::http_answer_test {

/// Feeds it byte by byte, which is the worst case.
AnswerReader read(std::string_view text) {
  AnswerReader reader;
  for (char byte : text) reader.feed({&byte, 1});
  return reader;
}

std::string complaint(std::string_view text) {
  try {
    read(text);
  } catch (const Nonsense& nonsense) {
    return nonsense.what();
  }
  return "";
}

TEST(HttpAnswer, HasALength) {
  AnswerReader reader = read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello");
  EXPECT_TRUE(reader.is_complete());
  EXPECT_FALSE(reader.closes());
  EXPECT_EQ(reader.status(), 200);
  EXPECT_EQ(reader.take_body(), "hello");
}

TEST(HttpAnswer, ComesInChunks) {
  AnswerReader reader = read(
      "HTTP/1.1 404 Not Found\r\ntransfer-encoding: Chunked\r\nConnection: close\r\n\r\n"
      "3;why=not\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_TRUE(reader.is_complete());
  EXPECT_TRUE(reader.closes());
  EXPECT_EQ(reader.status(), 404);
  EXPECT_EQ(reader.body(), "hello");
}

TEST(HttpAnswer, IsReadLineByLineBeforeItEnds) {
  AnswerReader reader =
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\none\ntwo\n\r\n3\r\nthr\r\n");
  std::string line;
  EXPECT_TRUE(reader.take_line(line));
  EXPECT_EQ(line, "one");
  EXPECT_TRUE(reader.take_line(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.take_line(line));
  reader.feed("3\r\nee\n\r\n");
  EXPECT_TRUE(reader.take_line(line));
  EXPECT_EQ(line, "three");
  EXPECT_FALSE(reader.is_complete());
}

TEST(HttpAnswer, MayBePrecededByAnother) {
  AnswerReader reader = read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(reader.is_complete());
  EXPECT_EQ(reader.status(), 204);
}

TEST(HttpAnswer, IsNonsense) {
  EXPECT_EQ(complaint("SSH-2.0-OpenSSH_9.2\r\n"), "this is not HTTP/1.1");
  EXPECT_EQ(complaint("HTTP/1.1 abc\r\n"), "this is not HTTP/1.1");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nno colon\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\n\r\n"), "");
  EXPECT_NE(complaint("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), "");
  std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_NE(complaint(chunked + "x\r\n"), "");
  EXPECT_NE(complaint(chunked + "1\r\nab\r\n"), "");
  EXPECT_NE(complaint(chunked + "ffffffff\r\n"), "");
}

TEST(HttpAnswer, HasNoHeadWithoutEnd) {
  EXPECT_EQ(complaint("HTTP/1.1 200 OK\r\nX: " + std::string(answer_head_bytes_max, 'x')),
            "its header is too long");
  std::string fields;
  for (int i = 0; i < 5000; ++i) fields += "X: y\r\n";
  EXPECT_EQ(complaint("HTTP/1.1 200 OK\r\n" + fields), "its header is too long");
}

TEST(HttpAnswer, HasNoBodyWithoutEnd) {
  AnswerReader reader;
  reader.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string chunk = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
  auto feed_all = [&] {
    for (std::size_t i = 0; i <= answer_body_bytes_max / 0x100000; ++i) reader.feed(chunk);
  };
  EXPECT_THROW(feed_all(), Nonsense);
}

}  // namespace conch::http::http_answer_test
