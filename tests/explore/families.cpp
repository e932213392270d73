#include "explore/families.hpp"

#include <algorithm>
#include <filesystem>

#include "catalog/catalog.hpp"
#include "chaos/algorithms.hpp"
#include "explore/dice.hpp"
#include "explore/draw.hpp"

namespace conch::explore {

namespace {

bool is_wanted(const CatalogEntry& entry, Whose whose) {
  return (!entry.about.is_sound()) == (whose == Whose::specimens);
}

class List {
 public:
  explicit List(const Programs& programs) : programs_(programs) {}

  /// Adds a command of conch for an algorithm.
  void add(const std::string& name, const CatalogEntry& entry,
           Task (*draw)(const CatalogEntry&, Random&), double task_s = 2) {
    add({.name = name,
         .draw =
             [program = programs_.conch, &entry, draw](Random& random) {
               Task task = draw(entry, random);
               task.program = program;
               return task;
             },
         .task_s = task_s});
  }
  void add(Family family) { families_.push_back(std::move(family)); }
  std::vector<Family> take() { return std::move(families_); }

 private:
  const Programs& programs_;
  std::vector<Family> families_;
};

constexpr double check_s = 4;

void add_algorithm(List& list, const CatalogEntry& entry, Whose whose) {
  std::string name(entry.about.name);
  list.add("sim " + name, entry, draw_simulation);
  list.add("check " + name, entry, draw_check, check_s);
  if (!entry.about.restless) list.add("handover " + name, entry, draw_handover);
  if (whose == Whose::specimens) return;  // recovery runs no specimens
  list.add("survive " + name, entry, draw_survival);
  list.add("check --recovery " + name, entry, draw_recovery_check, check_s);
}

void add_protocol(List& list, const CatalogEntry& entry) {
  std::string name(entry.about.name);
  list.add("sim " + name, entry, draw_overlay);
  list.add("survive " + name, entry, draw_ring_survival);
  list.add("check " + name, entry, draw_check, check_s);
}

void add_fuzz(List& list, const std::string& program) {
  list.add({.name = std::filesystem::path(program).filename(),
            .speaker = Speaker::fuzz,
            .draw = [program](Random&) {
              return Task{.program = program, .seeding = Seeding::numbered};
            }});
}

void add_chaos(List& list, const std::string& program, const std::string& algorithm,
               const std::string& kind) {
  constexpr double seconds = 10, around_s = 15;
  list.add({.name = "chaos " + algorithm + ", " + kind,
            .speaker = Speaker::chaos,
            .draw =
                [=](Random&) {
                  Task task{.program = program, .seeding = Seeding::single};
                  task.set({"--seconds", "10", Smaller::never});
                  task.set({"--algorithm", algorithm, Smaller::never});
                  if (kind == "etcd") task.set({"--register", "etcd", Smaller::never});
                  return task;
                },
            .task_s = seconds + around_s,
            .at_once_max = 1});
}

}  // namespace

std::vector<Family> families(const Programs& programs, Whose whose) {
  List list(programs);
  for (const CatalogEntry& entry : catalog())
    if (is_wanted(entry, whose)) add_algorithm(list, entry, whose);
  for (const CatalogEntry& entry : elections())
    if (is_wanted(entry, whose)) {
      list.add("sim " + std::string(entry.about.name), entry, draw_election);
      list.add("check " + std::string(entry.about.name), entry, draw_check, check_s);
    }
  if (whose == Whose::specimens) return list.take();
  for (const CatalogEntry& entry : protocols()) add_protocol(list, entry);
  for (const std::string& program : programs.fuzz) add_fuzz(list, program);
  for (const std::string& algorithm : chaos::algorithms) {
    bool has_register = !find_any(algorithm).can.routed;
    add_chaos(list, programs.chaos, algorithm, has_register ? "files" : "no register");
    if (has_register) add_chaos(list, programs.chaos, algorithm, "etcd");
  }
  return list.take();
}

}  // namespace conch::explore
