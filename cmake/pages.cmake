# The pages of web/, built with Node.js and npm, each as a library that has it: conch_page(live) makes conch_live_page.
# Without CONCH_PAGES, a page in its place says so.
conch_layer(pages)

if(CONCH_PAGES)
  find_program(NODE node)
  find_program(NPM npm)
  if(NOT (NODE AND NPM))
    message(FATAL_ERROR "CONCH_PAGES needs Node.js and npm; or leave the pages out: -D CONCH_PAGES=OFF")
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
  set(node_modules ${web}/node_modules/.package-lock.json)
  # All build folders share it: one of them must not fetch it again while another, or a test, uses it.
  string(CONCAT fetch "[ node_modules/.package-lock.json -nt package-lock.json ] || "
                      "(\"$1\" ci --loglevel=error --no-audit --no-fund && touch node_modules/.package-lock.json)")
  add_custom_command(OUTPUT ${node_modules} DEPENDS ${web}/package-lock.json
                     COMMAND flock package-lock.json sh -c ${fetch} sh ${NPM}
                     WORKING_DIRECTORY ${web} COMMENT "Fetching what the pages are made of" VERBATIM)
endif()

# conch_page(NAME [MODULE]): MODULE is the WebAssembly in it.
function(conch_page name)
  set(html ${PROJECT_BINARY_DIR}/pages/${name}.html)
  if(CONCH_PAGES)
    add_custom_command(OUTPUT ${html} DEPENDS ${node_modules} ${web}/build.mjs ${web_sources} ${ARGN}
                       COMMAND ${NODE} build.mjs ${name} ${html} ${ARGN}
                       WORKING_DIRECTORY ${web} COMMENT "Building the page ${name}" VERBATIM)
  else()
    file(CONFIGURE OUTPUT ${html} CONTENT "<!doctype html>\n<title>Conch</title>\n<p>This program was built without \
its pages: build it with -D CONCH_PAGES=ON.</p>\n</html>\n")
  endif()
  set(source ${PROJECT_BINARY_DIR}/pages/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT [[#include "pages/pages.hpp"

asm(".section .rodata\n.global conch_page_@name@\nconch_page_@name@:\n.incbin \"@html@\"\n"
    ".global conch_page_@name@_end\nconch_page_@name@_end:\n.previous\n");
extern "C" const char conch_page_@name@, conch_page_@name@_end;

std::string_view conch::pages::@name@() {
  return {&conch_page_@name@, static_cast<std::size_t>(&conch_page_@name@_end - &conch_page_@name@)};
}
]] @ONLY)
  # Part of no unity file, for which CMake forgets what an object depends on.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${html} SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(conch_${name}_page STATIC ${source})
  target_link_libraries(conch_${name}_page PUBLIC conch_pages)
endfunction()
