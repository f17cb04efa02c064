# Warnings are errors, with the same list for g++ and clang as far as both have it.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wcast-align -Wformat=2 -Wnull-dereference -Werror
  # The same for every unit, whatever it links: precompiled headers are refused otherwise.
  -pthread
  # The tree moves between clones and build machines: no absolute path may reach a binary.
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these two inside libstdc++ once it optimises.
  add_compile_options(-Wlogical-op -Wno-restrict -Wno-null-dereference -fpch-preprocess)
else()
  # TRY is a statement expression on purpose (src/base/result.h).
  add_compile_options(-Wno-gnu-statement-expression -Xclang -fno-pch-timestamp)
endif()
