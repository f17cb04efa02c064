# The four kinds of target in this tree. A folder's CMakeLists.txt names its files one by one.
#
#   muster_library(base SOURCES a.cc b.cc LINKS …)      static library muster_base
#   muster_test(base_test SOURCES a_test.cc LINKS …)    GoogleTest program, listed for ./test
#   muster_fuzz(quantity SOURCES quantity_fuzz.cc LINKS …)   only in the check preset
#   muster_bench(json SOURCES json_bench.cc LINKS …)    Google Benchmark program

set(MUSTER_INCLUDE_ROOT ${CMAKE_SOURCE_DIR}/src)

function(muster_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(muster_${name} STATIC ${ARG_SOURCES})
  target_include_directories(muster_${name} PUBLIC ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(muster_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# Third-party headers are not ours to mend: they are included as system headers everywhere.
function(muster_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY MUSTER_TESTS ${name})
endfunction()

function(muster_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT MUSTER_FUZZ)
    return()
  endif()
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_include_directories(${name}_fuzz PRIVATE ${CMAKE_SOURCE_DIR} ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(${name}_fuzz PRIVATE ${ARG_LINKS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()

function(muster_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_bench ${ARG_SOURCES})
  target_include_directories(${name}_bench PRIVATE ${CMAKE_SOURCE_DIR} ${MUSTER_INCLUDE_ROOT})
  target_link_libraries(${name}_bench PRIVATE ${ARG_LINKS} benchmark::benchmark)
endfunction()
