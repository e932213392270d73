// conch-lab, the program of the laboratory.
#include <array>

#include "lab_cli/commands.hpp"

namespace {

using namespace conch::lab_cli;

constexpr auto commands = std::to_array<conch::program::Subcommand>({
    {"sim", add_sim_command},
    {"check", add_check_command},
    {"lab", add_lab_command},
    {"playground", add_playground_command},
    {"replay", add_replay_command},
    {"view", add_view_command},
    {"survive", add_survive_command},
    {"handover", add_handover_command},
});

}  // namespace

int main(int argc, char** argv) {
  return conch::program::run(
      {.about = "Algorithms of distributed mutual exclusion: simulated, checked and measured.",
       .commands = commands},
      argc, argv);
}
