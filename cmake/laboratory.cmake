# The laboratory: simulator, checker, experiments, viewer and playground, in the program conch-lab.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMGRID IMPORTED_TARGET simgrid) # Debian's package has no CMake file of its own
if(NOT SIMGRID_FOUND)
  message(FATAL_ERROR "CONCH_LAB needs SimGrid, on Debian libsimgrid-dev; or leave it out: -D CONCH_LAB=OFF")
endif()

conch_layer(film USES audit)
conch_layer(sim USES node overlay dho recovery trace oracle film)
conch_layer(playground USES sim film)
conch_layer(check USES sim Threads::Threads)
conch_layer(simgrid USES sim ${CMAKE_DL_LIBS})
set(CONCH_MODULES ${CMAKE_INSTALL_LIBDIR}/conch) # below the prefix
target_compile_definitions(conch_simgrid PRIVATE CONCH_MODULES="${CONCH_MODULES}")
# What is linked with SimGrid is loaded by the processes that simulate with it.
add_library(conch-simgrid MODULE src/simgrid/module/engine.cpp src/simgrid/module/platform.cpp)
target_link_libraries(conch-simgrid PRIVATE conch_sim PkgConfig::SIMGRID)
set_target_properties(conch-simgrid PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                      UNITY_BUILD OFF)
add_dependencies(conch_simgrid conch-simgrid)
conch_layer(lab USES sim simgrid fmt::fmt Threads::Threads)
set_target_properties(conch_lab PROPERTIES UNITY_BUILD OFF) # every experiment has its Setting and its Point

include(cmake/wasm.cmake)
conch_page(viewer)
conch_page(playground ${CONCH_PLAYGROUND_MODULE})
conch_page(report)
if(BUILD_TESTING)
  target_link_libraries(pages_test PRIVATE conch_live_page conch_viewer_page conch_playground_page conch_report_page)
endif()

include(cmake/scenarios.cmake)
file(GLOB lab_cli_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS src/lab_cli/*.cpp)
add_executable(conch-lab ${lab_cli_sources} ${shipped_source})
target_link_libraries(conch-lab PRIVATE conch_lab conch_check conch_playground conch_program conch_http
                      conch_viewer_page conch_playground_page conch_report_page nlohmann_json::nlohmann_json)
