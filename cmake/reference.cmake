# conch_reference(PROGRAM): its man pages and completions, which the program itself writes, so that they say what it takes.
# They are of the component that has the program's name.
function(conch_reference program)
  set(share ${PROJECT_BINARY_DIR}/reference/${program})
  add_custom_command(OUTPUT ${share}.written DEPENDS ${program}
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
                     COMMAND ${program} help --write ${share}
                     COMMAND ${CMAKE_COMMAND} -E touch ${share}.written
                     COMMENT "Writing the man pages and completions of ${program}" VERBATIM)
  add_custom_target(${program}_reference ALL DEPENDS ${share}.written)
  install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT ${program})
endfunction()
