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

# Precompiled headers, in the dev preset only: they save two thirds of a second per unit there, and
# the other presets prove that every file includes what it uses.
if(MUSTER_PRECOMPILE)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
  add_library(muster_precompiled_product OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(muster_precompiled_product PRIVATE fmt::fmt Threads::Threads)
  target_precompile_headers(muster_precompiled_product PRIVATE
    <algorithm> <array> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)
  add_library(muster_precompiled_test OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(muster_precompiled_test PRIVATE fmt::fmt Threads::Threads GTest::gtest)
  target_precompile_headers(muster_precompiled_test PRIVATE
    <algorithm> <map> <memory> <optional> <string> <vector> <fmt/format.h> <tl/expected.hpp>
    <gmock/gmock.h> <gtest/gtest.h>)
endif()

function(muster_precompile target kind)
  if(MUSTER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM muster_precompiled_${kind})
  endif()
endfunction()

# Several files of a library as one translation unit, in the presets release and tsan: a build from
# nothing takes a third of the time. The others compile file by file, and prove that every file stands
# on its own and shadows nothing. unity_groups.py says which files go together.
function(muster_unite target)
  if(NOT MUSTER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  target_compile_options(${target} PRIVATE
    -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  execute_process(
    COMMAND python3 ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py
            ${CMAKE_CURRENT_SOURCE_DIR} ${ARGN}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(line IN LISTS groups)
    string(REPLACE " " ";" line "${line}")
    list(GET line 0 file)
    list(GET line 1 group)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP group_${group})
  endforeach()
endfunction()

function(muster_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(muster_${name} STATIC ${ARG_SOURCES})
  muster_unite(muster_${name} ${ARG_SOURCES})
  target_include_directories(muster_${name} PUBLIC ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(muster_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  muster_precompile(muster_${name} product)
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
  muster_precompile(${name} test)
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
