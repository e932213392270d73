// The encoding of a film: a JSON header, followed by the columns.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include "film/film.hpp"
#include "film/json.hpp"

namespace conch::film {

static_assert(std::endian::native == std::endian::little, "columns are written as they are");

struct Builder::Column {
  template <class List>
  Column(const char* name, const char* type, const List& list)
      : name(name),
        type(type),
        bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0])),
        length(list.size()) {}

  const char* name;
  const char* type;
  std::string_view bytes;
  std::size_t length;
};

namespace {

constexpr std::uint32_t version = 1;
constexpr std::string_view magic = "conchfil";
constexpr std::size_t alignment = 8;

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

void append_u32(std::string& out, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

std::vector<std::string_view> list_of(const Texts& texts) {
  std::vector<std::string_view> list;
  for (std::uint32_t number = 0; number < texts.size(); ++number) list.push_back(texts[number]);
  return list;
}

std::vector<std::string_view> all_words() {
  std::vector<std::string_view> words;
  for (int each = 0; each <= static_cast<int>(trace::last_happening); ++each)
    words.push_back(trace::word(static_cast<Happening>(each)));
  return words;
}

}  // namespace

std::vector<Builder::Column> Builder::columns() const {
  return {{"at", "f64", at_},
          {"word", "u8", word_},
          {"node", "u32", node_},
          {"peer", "u32", peer_},
          {"mate", "u32", mate_},
          {"kind", "u16", kind_},
          {"lock", "u32", lock_},
          {"detail", "u32", detail_},
          {"state", "u32", state_},
          {"text_at", "u32", texts_.begins()},
          {"text", "u8", texts_.bytes()}};
}

std::string Builder::header(const std::vector<Column>& columns) const {
  std::string out;
  std::size_t last = std::max<std::size_t>(events(), 1) - 1;
  auto quote = [&](std::string_view text) { append_quoted(out, text); };
  std::size_t place = 0;
  auto node = [&](const Person& person) {
    Object object(out);
    object.text("name", person.name).number("cluster", person.cluster).number("site", person.site);
    if (person.ring) object.text("ring", hexadecimal(*person.ring));
    std::uint32_t state = initial_state_[place++];
    if (state != none) object.number("state", state);
  };
  auto violation = [&](const Violation& broken) {
    Object object(out);
    object.number("event", broken.event).text("property", broken.property);
    object.text("what", broken.what);
    object.list("nodes", broken.nodes, [&](NodeIndex each) { out += std::to_string(each); });
  };
  auto caption = [&](const Caption& each) {
    Object(out).number("event", std::min<std::size_t>(each.event, last)).text("text", each.text);
  };
  std::size_t offset = 0;
  auto column = [&](const Column& each) {
    Object object(out);
    object.text("name", each.name).text("type", each.type);
    object.number("offset", offset).number("length", each.length);
    offset += padded(each.bytes.size());
  };
  Object(out)
      .text("title", about_.title)
      .text("command", about_.command)
      .text("algorithm", about_.algorithm)
      .text("family", about_.family)
      .text("unit", about_.unit)
      .list("nodes", nodes_, node)
      .list("locks", list_of(locks_), quote)
      .list("words", all_words(), quote)
      .list("kinds", list_of(kinds_), quote)
      .list("violations", violations_, violation)
      .list("captions", captions_, caption)
      .number("events", events())
      .list("columns", columns, column);
  return out;
}

std::string Builder::bytes() const {
  std::vector<Column> all = columns();
  std::string head = header(all);
  head.resize(padded(head.size()), ' ');
  std::size_t size = magic.size() + 8 + head.size();
  for (const Column& column : all) size += padded(column.bytes.size());
  std::string out;
  out.reserve(size);
  out += magic;
  append_u32(out, version);
  append_u32(out, head.size());
  out += head;
  for (const Column& column : all) {
    out += column.bytes;
    out.append(padded(column.bytes.size()) - column.bytes.size(), '\0');
  }
  return out;
}

}  // namespace conch::film
