# The playground as WebAssembly, for its page. Where its compiler is not to be had, the page says so instead.
#
# Debian: clang-16 lld-16 libc++-16-dev-wasm32 libclang-rt-16-dev-wasm32.
set(CONCH_PLAYGROUND_MODULE "")
find_program(WASM_CXX clang++-16)
find_program(WASM_LD wasm-ld-16)
find_path(WASM_HEADERS variant NO_DEFAULT_PATH PATHS /usr/lib/llvm-16/include/wasm32-wasi/c++/v1)
find_file(WASM_BUILTINS libclang_rt.builtins-wasm32.a NO_DEFAULT_PATH PATHS /usr/lib/llvm-16/lib/clang/16/lib/wasi)
if(NOT (WASM_CXX AND WASM_LD AND WASM_HEADERS AND WASM_BUILTINS))
  message(STATUS "Without clang-16, lld-16, libc++-16-dev-wasm32 and libclang-rt-16-dev-wasm32 there is no playground.")
  return()
endif()

set(wasm ${PROJECT_BINARY_DIR}/wasm)
# Hardly anything is inlined: it is compiled sooner so, and is smaller.
set(flags --target=wasm32-wasi -std=c++20 -O1 -mllvm -inline-threshold=0 -fwasm-exceptions -ffp-contract=off
          -Wall -Wextra -Werror -nostdinc++ -isystem ${WASM_HEADERS} -I${PROJECT_SOURCE_DIR}/src
          -I${PROJECT_SOURCE_DIR}/include -DCONCH_VERSION="${PROJECT_VERSION}")

# wasm_unit(NAME sources...): sources of src/, without tests, as one unit.
function(wasm_unit name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN sources "" includes)
  file(CONFIGURE OUTPUT ${wasm}/${name}.cpp CONTENT "${includes}")
  add_custom_command(OUTPUT ${wasm}/${name}.o DEPENDS ${wasm}/${name}.cpp DEPFILE ${wasm}/${name}.d
                     COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WASM_CXX} ${flags} -MD -MF ${wasm}/${name}.d
                             -MT wasm/${name}.o -c ${wasm}/${name}.cpp -o ${wasm}/${name}.o
                     COMMENT "Compiling the playground: ${name}" VERBATIM)
  set(wasm_objects ${wasm_objects} ${wasm}/${name}.o PARENT_SCOPE)
endfunction()

# What a scenario needs. LLVM 16 stumbles over a throw of which it sees how it is done, so that is for itself.
wasm_unit(exceptions playground/wasm/exceptions.cpp)
wasm_unit(algorithms core/expect.cpp core/grouping.cpp core/random.cpp core/version.cpp mutex/*.cpp election/*.cpp catalog/catalog.cpp
          catalog/presets.cpp)
wasm_unit(end_to_end overlay/*end_to_end*.cpp)
wasm_unit(voting overlay/protocol_*.cpp overlay/voting*.cpp)
wasm_unit(pastry overlay/leaf_set.cpp overlay/pastry.cpp)
wasm_unit(population sim/simulated_nodes.cpp)
wasm_unit(scenario trace/happening.cpp film/bytes.cpp film/film.cpp film/texts.cpp oracle/oracles.cpp sim/election_oracle.cpp sim/film_sink.cpp sim/oracles.cpp
          sim/line_diff.cpp sim/protocol_rules.cpp sim/recorder.cpp sim/scenario*.cpp sim/scripted_world*.cpp
          playground/*.cpp playground/wasm/exports.cpp)

set(CONCH_PLAYGROUND_MODULE ${wasm}/playground.wasm)
add_custom_command(OUTPUT ${CONCH_PLAYGROUND_MODULE} DEPENDS ${wasm_objects}
                   COMMAND ${WASM_CXX} --target=wasm32-wasi -mexec-model=reactor -fwasm-exceptions -Wl,--strip-all
                           ${wasm_objects} -o ${CONCH_PLAYGROUND_MODULE}
                   COMMENT "Linking the playground" VERBATIM)
