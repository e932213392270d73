#include "pages/pages.hpp"

#include <gtest/gtest.h>

namespace conch::pages::pages_test {

TEST(Pages, AreWholeAndHaveAPlaceForTheirData) {
  for (std::string_view page : {live(), playground(), report(), viewer()}) {
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_TRUE(page.ends_with("</html>\n"));
  }
}

TEST(Pages, DataCannotEndTheirElement) {
  EXPECT_EQ(with_data("a<!--data-->b", "application/json", R"({"x":"</script>"})"),
            R"(a<script type="application/json" id="data">{"x":"\u003c/script>"}</script>b)");
  EXPECT_EQ(with_data("no place", "application/json", "1"), "no place");
}

}  // namespace conch::pages::pages_test
