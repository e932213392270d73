#include "pages/pages.hpp"

// CMake builds them into CONCH_PAGES, and makes them a dependency of this file.
#define CONCH_PAGE(name)                 \
  asm(".section .rodata\n"               \
      ".global conch_page_" #name        \
      "\n"                               \
      "conch_page_" #name                \
      ":\n"                              \
      ".incbin \"" CONCH_PAGES "/" #name \
      ".html\"\n"                        \
      ".global conch_page_" #name        \
      "_end\n"                           \
      "conch_page_" #name                \
      "_end:\n"                          \
      ".previous\n");                    \
  extern "C" const char conch_page_##name, conch_page_##name##_end;

CONCH_PAGE(viewer)
CONCH_PAGE(playground)
CONCH_PAGE(report)
CONCH_PAGE(live)

namespace conch::pages {
namespace {

std::string_view between(const char& first, const char& end) {
  return {&first, static_cast<std::size_t>(&end - &first)};
}

/// Nothing in the data may look like the end of the element that they are in.
std::string enclosed(std::string_view data) {
  std::string text;
  for (char c : data) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string_view page(Name name) {
  switch (name) {
    case Name::viewer: return between(conch_page_viewer, conch_page_viewer_end);
    case Name::playground: return between(conch_page_playground, conch_page_playground_end);
    case Name::report: return between(conch_page_report, conch_page_report_end);
    case Name::live: return between(conch_page_live, conch_page_live_end);
  }
  return {};
}

std::string with_data(std::string_view page, std::string_view type, std::string_view data) {
  constexpr std::string_view place = "<!--data-->";
  std::string text(page);
  std::size_t at = text.find(place);
  if (at == std::string::npos) return text;
  std::string element =
      "<script type=\"" + std::string(type) + "\" id=\"data\">" + enclosed(data) + "</script>";
  return text.replace(at, place.size(), element);
}

}  // namespace conch::pages
