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

# What a scenario needs, in two units, for this takes a while.
set(src ${PROJECT_SOURCE_DIR}/src)
file(GLOB wasm_sources CONFIGURE_DEPENDS ${src}/core/*.cpp ${src}/mutex/*.cpp ${src}/election/*.cpp
     ${src}/trace/happening.cpp ${src}/catalog/*.cpp ${src}/film/*.cpp ${src}/sim/scenario.cpp
     ${src}/sim/scripted_world*.cpp ${src}/playground/*.cpp ${src}/playground/wasm/*.cpp)
list(FILTER wasm_sources EXCLUDE REGEX "_test\\.cpp$")
foreach(name election_oracle jury line_diff oracles random)
  list(APPEND wasm_sources ${src}/sim/${name}.cpp)
endforeach()
list(TRANSFORM wasm_sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
list(JOIN includes "" includes)
set(wasm ${PROJECT_BINARY_DIR}/wasm)
file(CONFIGURE OUTPUT ${wasm}/scenario.cpp CONTENT "${includes}")
file(CONFIGURE OUTPUT ${wasm}/population.cpp CONTENT "#include \"${src}/sim/population.cpp\"\n")

set(flags --target=wasm32-wasi -std=c++20 -O1 -fwasm-exceptions -ffp-contract=off -Wall -Wextra -Werror
          -nostdinc++ -isystem ${WASM_HEADERS} -I${src} -I${PROJECT_SOURCE_DIR}/include
          -DCONCH_VERSION="${PROJECT_VERSION}")
foreach(unit scenario population)
  add_custom_command(OUTPUT ${wasm}/${unit}.o DEPENDS ${wasm}/${unit}.cpp DEPFILE ${wasm}/${unit}.d
                     COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WASM_CXX} ${flags} -MD -MF ${wasm}/${unit}.d
                             -MT wasm/${unit}.o -c ${wasm}/${unit}.cpp -o ${wasm}/${unit}.o
                     COMMENT "Compiling the playground: ${unit}" VERBATIM)
  list(APPEND objects ${wasm}/${unit}.o)
endforeach()
set(CONCH_PLAYGROUND_MODULE ${wasm}/playground.wasm)
add_custom_command(OUTPUT ${CONCH_PLAYGROUND_MODULE} DEPENDS ${objects}
                   COMMAND ${WASM_CXX} --target=wasm32-wasi -mexec-model=reactor -fwasm-exceptions -Wl,--strip-all
                           ${objects} -o ${CONCH_PLAYGROUND_MODULE}
                   COMMENT "Linking the playground" VERBATIM)
