# The pages of web/, built with Node.js and npm, as files for src/pages to take into the program. Where these are not
# to be had, a page says so instead.
set(CONCH_PAGES ${PROJECT_BINARY_DIR}/pages)
set(pages viewer playground report live)
list(TRANSFORM pages PREPEND ${CONCH_PAGES}/ OUTPUT_VARIABLE page_files)
list(TRANSFORM page_files APPEND .html)

include(cmake/wasm.cmake)
find_program(NODE node)
find_program(NPM npm)
if(NODE AND NPM)
  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
  set(node_modules ${web}/node_modules/.package-lock.json)
  # All build folders share it: one of them must not fetch it again while another, or a test, uses it.
  string(CONCAT fetch "[ node_modules/.package-lock.json -nt package-lock.json ] || "
                      "(\"$1\" ci --loglevel=error --no-audit --no-fund && touch node_modules/.package-lock.json)")
  add_custom_command(OUTPUT ${node_modules} DEPENDS ${web}/package-lock.json
                     COMMAND flock package-lock.json sh -c ${fetch} sh ${NPM}
                     WORKING_DIRECTORY ${web} COMMENT "Fetching what the pages are made of" VERBATIM)
  add_custom_command(OUTPUT ${page_files} DEPENDS ${node_modules} ${web}/build.mjs ${web_sources}
                                                   ${CONCH_PLAYGROUND_MODULE}
                     COMMAND ${NODE} build.mjs ${CONCH_PAGES} ${CONCH_PLAYGROUND_MODULE}
                     WORKING_DIRECTORY ${web} COMMENT "Building the pages" VERBATIM)
else()
  message(WARNING "Without Node.js and npm conch has no pages.")
  foreach(file ${page_files})
    file(WRITE ${file} "<!doctype html>\n<title>Conch</title>\n<p>This conch was built without its pages: "
                       "install Node.js and npm, and build again.</p>\n</html>\n")
  endforeach()
endif()

conch_layer(pages)
target_compile_definitions(conch_pages PRIVATE CONCH_PAGES="${CONCH_PAGES}")
set_source_files_properties(src/pages/pages.cpp PROPERTIES OBJECT_DEPENDS "${page_files}")
