# The files of tests/scenarios/ as a source of the program, which opens them by name: src/lab_cli/shipped.hpp.
file(GLOB scenario_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/scenarios/*.txt)
list(SORT scenario_files)
set(declarations "")
set(entries "")
foreach(file ${scenario_files})
  get_filename_component(name ${file} NAME_WE)
  string(APPEND declarations
         "asm(\".section .rodata\\n.global conch_scenario_${name}\\nconch_scenario_${name}:\\n.incbin \\\"${file}\\\"\\n\"\n"
         "    \".global conch_scenario_${name}_end\\nconch_scenario_${name}_end:\\n.previous\\n\");\n"
         "extern \"C\" const char conch_scenario_${name}, conch_scenario_${name}_end;\n")
  string(APPEND entries "      entry(\"${name}\", conch_scenario_${name}, conch_scenario_${name}_end),\n")
endforeach()
set(shipped_source ${PROJECT_BINARY_DIR}/shipped.cpp)
file(CONFIGURE OUTPUT ${shipped_source} CONTENT [[#include "lab_cli/shipped.hpp"

@declarations@
namespace conch::lab_cli {
namespace {

Shipped entry(std::string_view name, const char& first, const char& end) {
  return {name, {&first, static_cast<std::size_t>(&end - &first)}};
}

}  // namespace

std::span<const Shipped> shipped_scenarios() {
  static const Shipped list[] = {
@entries@  };
  return list;
}

}  // namespace conch::lab_cli
]] @ONLY)
# Part of no unity file: see conch_page.
set_source_files_properties(${shipped_source} PROPERTIES OBJECT_DEPENDS "${scenario_files}" SKIP_UNITY_BUILD_INCLUSION ON)
