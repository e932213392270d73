# What is installed, in parts that are packages, too: conch (the command), conch-lab (the laboratory), libconch (the
# libraries), libconch-dev (what programs are built with) and python (cmake/python.cmake).
include(CMakePackageConfigHelpers)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  message(FATAL_ERROR "CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_INCLUDEDIR are under the prefix, which can be moved: "
                      "name them without it")
endif()

install(TARGETS conch RUNTIME COMPONENT conch)
install(FILES packaging/conch@.service DESTINATION lib/systemd/system COMPONENT conch)
if(TARGET conch-lab)
  install(TARGETS conch-lab RUNTIME COMPONENT conch-lab)
  install(TARGETS conch-simgrid DESTINATION ${CONCH_MODULES} COMPONENT conch-lab)
endif()

# The names under which find_package has them: Conch::conch, Conch::dho and, as a set of its own because who uses it needs
# MPI, Conch::dho_mpi.
set_target_properties(conch_public PROPERTIES EXPORT_NAME conch)
target_compile_features(conch_public INTERFACE cxx_std_17)
set(packages conch dho)
set(exports Conch)
install(TARGETS conch_public dho EXPORT Conch LIBRARY COMPONENT libconch NAMELINK_COMPONENT libconch-dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libconch-dev PATTERN dho_mpi.h EXCLUDE)
if(TARGET dho_mpi)
  list(APPEND packages dho_mpi)
  list(APPEND exports ConchMpi)
  install(TARGETS dho_mpi EXPORT ConchMpi LIBRARY COMPONENT libconch NAMELINK_COMPONENT libconch-dev
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES include/dho_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libconch-dev)
endif()

set(config_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Conch)
configure_package_config_file(cmake/ConchConfig.cmake.in ${PROJECT_BINARY_DIR}/ConchConfig.cmake
                              INSTALL_DESTINATION ${config_directory} NO_SET_AND_CHECK_MACRO)
# Until 1.0, what has changed for programs changes the minor version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ConchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ConchConfig.cmake ${PROJECT_BINARY_DIR}/ConchConfigVersion.cmake
        DESTINATION ${config_directory} COMPONENT libconch-dev)
foreach(export ${exports})
  install(EXPORT ${export} NAMESPACE Conch:: FILE ${export}Targets.cmake DESTINATION ${config_directory}
          COMPONENT libconch-dev)
endforeach()

# From where the .pc files are, so that all of it can be moved.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
foreach(package ${packages})
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT libconch-dev)
endforeach()
