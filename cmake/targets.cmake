# The kinds of target in this tree. A folder's CMakeLists.txt names its files one by one.
#
#   muster_library(base SOURCES a.cc b.cc LINKS …)           static library muster_base
#   muster_test(base_test SOURCES a_test.cc LINKS …)         GoogleTest program of the suite `unit`
#   muster_test(store_test SUITE store SOURCES … LINKS …)    … of another suite (./test --list)
#   muster_fuzz(quantity SOURCES quantity_fuzz.cc LINKS …)   libFuzzer program, check preset only;
#                                                            seeds in tests/fuzz/corpus/quantity/
#   muster_bench(json SOURCES json_bench.cc LINKS …)         program json_bench
#
# What exists is written to build/<preset>/tests.txt, which ./test reads, and to link_graph.txt,
# which tests/layers reads.

set(MUSTER_INCLUDE_ROOT ${CMAKE_SOURCE_DIR}/src)

function(muster_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(muster_${name} STATIC ${ARG_SOURCES})
  target_include_directories(muster_${name} PUBLIC ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(muster_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY MUSTER_LIBRARIES muster_${name})
endfunction()

# Registers a program in a suite: `./test` runs it, and the target suite_<suite> builds it.
function(muster_in_suite suite program)
  set_property(GLOBAL APPEND PROPERTY MUSTER_PROGRAMS "${suite} ${program}")
  if(NOT TARGET suite_${suite})
    add_custom_target(suite_${suite})
  endif()
  add_dependencies(suite_${suite} ${program})
endfunction()

function(muster_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
endfunction()

function(muster_test name)
  cmake_parse_arguments(ARG "" "SUITE" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SUITE)
    set(ARG_SUITE unit)
  endif()
  muster_program(${name} SOURCES ${ARG_SOURCES}
                 LINKS ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  # Tests find their data from here, wherever they are started.
  target_compile_definitions(${name} PRIVATE MUSTER_SOURCE_FOLDER="${CMAKE_SOURCE_DIR}")
  muster_in_suite(${ARG_SUITE} ${name})
endfunction()

function(muster_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT MUSTER_FUZZ)
    return()
  endif()
  muster_program(${name}_fuzz SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  muster_in_suite(fuzz ${name}_fuzz)
endfunction()

function(muster_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  muster_program(${name}_bench SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS} benchmark::benchmark)
  target_compile_definitions(${name}_bench PRIVATE MUSTER_SOURCE_FOLDER="${CMAKE_SOURCE_DIR}")
  muster_in_suite(bench ${name}_bench)
endfunction()

# Called once, last: writes down what the tree consists of.
function(muster_write_inventory)
  get_property(programs GLOBAL PROPERTY MUSTER_PROGRAMS)
  list(JOIN programs "\n" text)
  file(WRITE ${CMAKE_BINARY_DIR}/tests.txt "${text}\n")

  get_property(libraries GLOBAL PROPERTY MUSTER_LIBRARIES)
  set(graph "")
  foreach(library IN LISTS libraries)
    get_target_property(links ${library} LINK_LIBRARIES)
    list(FILTER links INCLUDE REGEX "^muster_")
    list(JOIN links " " links)
    string(APPEND graph "${library}: ${links}\n")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/link_graph.txt "${graph}")
endfunction()
