#include "simgrid/handover.hpp"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <type_traits>

#include "core/text.hpp"
#include "simgrid/child.hpp"
#include "simgrid/module/interface.hpp"

namespace conch::simgrid {
namespace {

using sim::handover::Measured;
using sim::handover::Workload;

/// Only child processes load SimGrid, because that takes some 20 ms. The module is beside the
/// program, or in the folder where it was installed.
decltype(&conch_run_on_simgrid) load_module() {
  std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& folder : {here, here.parent_path() / CONCH_MODULES}) {
    std::filesystem::path file = folder / "conch-simgrid.so";
    if (!std::filesystem::exists(file)) continue;
    void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* run = module == nullptr ? nullptr : ::dlsym(module, "conch_run_on_simgrid");
    if (run == nullptr) throw ChildFailed(::dlerror());
    return reinterpret_cast<decltype(&conch_run_on_simgrid)>(run);
  }
  throw ChildFailed("conch-simgrid.so is not beside this program; install conch-lab again");
}

std::string run_in_child(const Workload& workload) {
  Measured measured;
  load_module()(workload, std::get<sim::Grid>(workload.wires), measured);
  return {reinterpret_cast<const char*>(&measured), sizeof measured};
}

}  // namespace

std::vector<Measured> run_on_simgrid(std::span<const Workload> workloads) {
  static_assert(std::is_trivially_copyable_v<Measured>);
  for (const Workload& workload : workloads) {
    validate(workload);
    if (!std::holds_alternative<sim::Grid>(workload.wires))
      throw BadText("SimGrid runs on a grid, not on wires of one length");
  }
  auto answers = in_children(workloads.size(),
                             [&](std::size_t index) { return run_in_child(workloads[index]); });
  std::vector<Measured> list(workloads.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (answers[i].size() != sizeof list[i]) throw ChildFailed("half an answer");
    std::memcpy(&list[i], answers[i].data(), sizeof list[i]);
  }
  return list;
}

}  // namespace conch::simgrid
