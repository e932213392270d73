# Warnings are errors in every build type; floating point is the same in all of them, because traces are.
add_library(conch_flags INTERFACE)
target_compile_options(conch_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong about std::string (GCC bug 105651); and clang-tidy does not know it.
  target_compile_options(conch_flags INTERFACE -Wno-unknown-warning-option -Wno-restrict)
  # With precompiled headers, wrong about it in other ways, too.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(conch_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  # At -O3, wrong about variants that are moved.
  target_compile_options(conch_flags INTERFACE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize")
  target_compile_options(conch_flags INTERFACE -Wno-maybe-uninitialized) # about instrumented variants
endif()
target_include_directories(conch_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
link_libraries($<BUILD_INTERFACE:conch_flags>) # not for who uses what is installed
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_UNITY_BUILD) # not for releases, whose flags clang-tidy reads
  # To collect its garbage is a tenth of a compiler's time, unless it may use the memory that machines have now.
  add_compile_options(--param=ggc-min-heapsize=1048576)
endif()

# Where CMAKE_UNITY_BUILD is on (all but releases, which show that every file stands alone), several sources of a library
# or a program are one unit; so each test has a namespace of its own name. The more there are in a unit, the sooner all is
# built, and the later what has changed. Some are alone: they are large enough, or have names for themselves that a
# neighbour has, too.
if(NOT CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
endif()
set(alone catalog/real_algorithms.cpp check/model.cpp lab_cli/check_recovery.cpp overlay/voting.cpp
          node/overlay_member.cpp sim/overlay_simulation.cpp sim/simulated_nodes.cpp)
if(CONCH_LIBRARY) # and these are linked without their neighbours
  list(APPEND alone capi/dho.cpp capi/mpi_group.cpp core/version.cpp peer/data.cpp peer/mutex.cpp
       peer/observation.cpp peer/peer.cpp peer/stop.cpp peer/ticket.cpp)
endif()
list(TRANSFORM alone PREPEND ${PROJECT_SOURCE_DIR}/src/)
set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# ... and what nearly all of them include is read once for all libraries, and once for all tests.
if(CMAKE_UNITY_BUILD)
  set(everywhere <algorithm> <chrono> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/nothing.cpp CONTENT "int main() { return 0; }\n")
  add_library(headers_of_libraries OBJECT ${PROJECT_BINARY_DIR}/nothing.cpp)
  target_precompile_headers(headers_of_libraries PRIVATE ${everywhere})
  if(BUILD_TESTING)
    add_executable(headers_of_tests ${PROJECT_BINARY_DIR}/nothing.cpp)
    target_link_libraries(headers_of_tests PRIVATE GTest::gtest)
    target_precompile_headers(headers_of_tests PRIVATE ${everywhere} <gtest/gtest.h>)
  endif()
endif()

# conch_find(OPTION NAME PACKAGE [COMPONENTS ...]): find_package for an option; says what to install if it is not there.
macro(conch_find option name package)
  find_package(${name} ${ARGN})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${option} needs ${name}, on Debian ${package}; or leave it out: -D ${option}=OFF")
  endif()
endmacro()

# conch_layer(NAME USES targets... TEST_USES layers...): the library conch_NAME from src/NAME, and the program NAME_test
# from the tests that stand beside the code.
function(conch_layer name)
  cmake_parse_arguments(layer "" "" "USES;TEST_USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(conch_${name} STATIC ${sources})
    if(TARGET headers_of_libraries)
      target_precompile_headers(conch_${name} REUSE_FROM headers_of_libraries)
    endif()
    set(visibility PUBLIC)
  else()
    add_library(conch_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  foreach(used ${layer_USES})
    if(TARGET conch_${used})
      set(used conch_${used})
    endif()
    target_link_libraries(conch_${name} ${visibility} ${used})
  endforeach()
  if(tests AND BUILD_TESTING)
    list(TRANSFORM layer_TEST_USES PREPEND conch_)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE conch_${name} ${layer_TEST_USES} GTest::gtest_main)
    conch_tests(${name}_test)
  endif()
endfunction()

# Every GoogleTest case of a program as a test of its own. Those that take long have a COST: they begin first.
function(conch_tests program)
  include(GoogleTest)
  if(TARGET headers_of_tests)
    target_precompile_headers(${program} REUSE_FROM headers_of_tests)
  endif()
  gtest_discover_tests(${program} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 300 ${ARGN})
endfunction()
