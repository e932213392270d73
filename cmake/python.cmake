# The Python package conch (docs/peers.md): python/conch, and the extension module that src/python is, on top of the public
# library alone. build/PRESET/python is where the build has it whole; PYTHONPATH leads there.
option(CONCH_PYTHON "Build the Python package; needs pybind11, and pytest, numpy and mypy for its tests" OFF)
if(NOT CONCH_PYTHON)
  return()
endif()

# Debian's own, for which Debian's pytest and numpy are; another may stand before it in the PATH.
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED CONFIG)

set(python_package ${PROJECT_BINARY_DIR}/python/conch)
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cpp)
pybind11_add_module(conch_python MODULE NO_EXTRAS ${python_sources})
target_link_libraries(conch_python PRIVATE conch_public)
set_target_properties(conch_python PROPERTIES OUTPUT_NAME _conch LIBRARY_OUTPUT_DIRECTORY ${python_package}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# What is only read is not copied: whoever edits it need not build.
file(GLOB python_files RELATIVE ${PROJECT_SOURCE_DIR}/python/conch CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/python/conch/*.py ${PROJECT_SOURCE_DIR}/python/conch/*.pyi
     ${PROJECT_SOURCE_DIR}/python/conch/py.typed)
file(MAKE_DIRECTORY ${python_package})
foreach(file ${python_files})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/conch/${file} ${python_package}/${file} SYMBOLIC)
endforeach()

# Where Debian's python3 looks, if the prefix is /usr; elsewhere PYTHONPATH has to name it.
set(CONCH_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package is installed, under the prefix")
file(RELATIVE_PATH to_libraries /${CONCH_PYTHON_DIR}/conch /${CMAKE_INSTALL_LIBDIR})
set_target_properties(conch_python PROPERTIES INSTALL_RPATH $ORIGIN/${to_libraries})
install(TARGETS conch_python LIBRARY DESTINATION ${CONCH_PYTHON_DIR}/conch COMPONENT python)
list(TRANSFORM python_files PREPEND ${PROJECT_SOURCE_DIR}/python/conch/)
install(FILES ${python_files} DESTINATION ${CONCH_PYTHON_DIR}/conch COMPONENT python)

# Each file of tests/python as a test, and the type hints as one more.
if(DEFINED BUILD_TESTING AND NOT BUILD_TESTING)
  return()
endif()
foreach(module pytest numpy mypy)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import ${module}" RESULT_VARIABLE missing ERROR_QUIET)
  if(missing)
    message(FATAL_ERROR "The tests of the Python package need ${module}: install python3-${module} (mypy: mypy)")
  endif()
endforeach()
set(python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1)
file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/test_*.py)
foreach(file ${python_tests})
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "^test_" "" name ${name})
  add_test(NAME Python.${name} COMMAND ${Python_EXECUTABLE} -m pytest -q -p no:cacheprovider ${file}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(Python.${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${python_environment}")
endforeach()
add_test(NAME Python.install COMMAND ${PROJECT_SOURCE_DIR}/tests/python/install_test.sh ${PROJECT_BINARY_DIR}
         ${CONCH_PYTHON_DIR} ${Python_EXECUTABLE})
add_test(NAME Python.types COMMAND ${Python_EXECUTABLE} -m mypy --strict --cache-dir=/dev/null python/conch
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(Python.install Python.types PROPERTIES TIMEOUT 120)
set_tests_properties(Python.counter PROPERTIES COST 20)
