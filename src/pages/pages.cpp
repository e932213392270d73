#include "pages/pages.hpp"

namespace conch::pages {
namespace {

/// Escapes `<`, so that nothing in the data looks like the end of their element.
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
