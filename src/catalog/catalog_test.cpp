#include <gtest/gtest.h>

#include <set>

#include "catalog/classes.hpp"
#include "catalog/presets.hpp"

namespace conch::catalog_test {

TEST(Catalog, NamesAreUniqueAndFoundAgain) {
  std::set<std::string_view> names;
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_TRUE(names.insert(entry.about.name).second) << entry.about.name;
    EXPECT_EQ(&find_algorithm(entry.about.name), &entry);
  }
}

TEST(Catalog, ANameLeadsToItsClass) {
  for (const CatalogEntry& entry : catalog())
    with_algorithm(entry, [&]<class A>(std::type_identity<A>) {
      EXPECT_EQ(A::about.name, entry.algorithm) << entry.about.name;
    });
}

TEST(Catalog, ASpecimenOfAnAlgorithmIsNamedAfterIt) {
  for (const CatalogEntry& entry : catalog()) {
    std::size_t at = entry.about.name.find('@');
    if (at == std::string_view::npos) continue;
    EXPECT_FALSE(entry.about.is_sound()) << entry.about.name;
    EXPECT_NO_THROW(find_algorithm(entry.about.name.substr(0, at)));
  }
}

TEST(Catalog, ElectionsAreAFamilyOfTheirOwn) {
  ASSERT_GE(elections().size(), 3u);
  for (const CatalogEntry& entry : elections()) {
    EXPECT_TRUE(entry.can.elects);
    EXPECT_EQ(entry.about.family, "election");
    EXPECT_EQ(&find_any(entry.about.name), &entry);
    EXPECT_THROW(find_algorithm(entry.about.name), UnknownName);
  }
  for (const CatalogEntry& entry : catalog()) EXPECT_FALSE(entry.can.elects) << entry.about.name;
}

TEST(Preset, LeadsToTheClassAndSettlesItsOwnParametersOnly) {
  CatalogEntry grid = variant<Maekawa>("maekawa-grid", "here", {.voting = VotingSetShape::grid});
  EXPECT_TRUE(grid.is_preset());
  EXPECT_FALSE(find_algorithm("maekawa").is_preset());
  std::string_view called;
  with_algorithm(grid, [&]<class A>(std::type_identity<A>) { called = A::about.name; });
  EXPECT_EQ(called, "maekawa");
  Tuning asked{.voting = VotingSetShape::plane, .order = 5, .balance = Balance::lazy};
  Tuning tuned = grid.tuned(asked);
  EXPECT_EQ(tuned.voting, VotingSetShape::grid);
  EXPECT_EQ(tuned.order, 5u);
  EXPECT_EQ(tuned.balance, Balance::lazy);
}

TEST(Preset, ASpecimenDoesWithoutOneRule) {
  CatalogEntry entry = specimen<NaimiTrehel, Policy>("naimi-trehel@x", "as printed", "ME2",
                                                     {.nodes = 3, .cancels = 1});
  EXPECT_FALSE(entry.about.is_sound());
  EXPECT_EQ(entry.about.family, NaimiTrehel::about.family);
  EXPECT_EQ(entry.about.caught_in.nodes, 3u);
  EXPECT_EQ(entry.tuned(Tuning{}).policy, policy<Policy>());
  EXPECT_TRUE(entry.can.dynamic);
  EXPECT_FALSE(fixed(entry).can.dynamic);
}

TEST(Nearest, IsWhatIsMeantOrNothing) {
  constexpr std::string_view names[] = {"lock",  "unlock", "status",      "sim",
                                        "evict", "doctor", "central",     "--timeout",
                                        "--try", "--json", "--lock-delay"};
  struct Row {
    std::string_view word;
    std::string_view meant;
  };
  for (const Row& row : {
           Row{"lok", "lock"},
           {"lokc", "lock"},
           {"lcok", "lock"},
           {"locks", "lock"},
           {"simm", "sim"},
           {"evcit", "evict"},
           {"dcotor", "doctor"},
           {"stat", "status"},
           {"--timout", "--timeout"},
           {"--time", "--timeout"},
           {"--tyr", "--try"},
           {"--lokc-dealy", "--lock-delay"},
           // Nothing like them.
           {"", ""},
           {"-", ""},
           {"--", ""},
           {"l", ""},
           {"st", ""},
           {"foo", ""},
           {"dcotro", ""},
           {"cnetarl", ""},
           {"run", ""},
           {"look", "lock"},
           {"book", ""},
           {"static", ""},
           {"victor", ""},
           {"--t", ""},
           {"--jobs", ""},
           {"--wait", ""},
           {"--yes", ""},
           {"--frobnicate", ""},
           {"--lock-name", ""},
       })
    EXPECT_EQ(nearest(row.word, names), row.meant) << row.word;
  EXPECT_EQ(nearest("lock", {}), "");
}

}  // namespace conch::catalog_test
