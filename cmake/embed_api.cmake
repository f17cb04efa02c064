# Compiles api/ into a library. The assembler includes the files as they are, all in one unit, so
# that a hundred kinds cost no more to build than one; the index changes only with the list.
#
#   muster_embed_api(muster_objects)
#
# A new file in api/ is found by itself; its place in the index is that of its sorted path.
function(muster_embed_api target)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS
    RELATIVE ${CMAKE_SOURCE_DIR}/api ${CMAKE_SOURCE_DIR}/api/*.yaml)
  list(SORT paths)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/api)
  set(files)
  set(API_DECLARATIONS "")
  set(API_ENTRIES "")
  set(API_INCLUSIONS "")
  foreach(path IN LISTS paths)
    string(MAKE_C_IDENTIFIER "muster_api_${path}" symbol)
    list(APPEND files ${CMAKE_SOURCE_DIR}/api/${path})
    string(APPEND API_DECLARATIONS "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
    string(APPEND API_ENTRIES "      embedded(\"${path}\", ${symbol}, ${symbol}_end),\n")
    string(APPEND API_INCLUSIONS "EMBED(${symbol}, \"${CMAKE_SOURCE_DIR}/api/${path}\")\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/api_files.cc.in ${folder}/api_files.cc @ONLY)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/api_texts.cc.in ${folder}/api_texts.cc @ONLY)
  set_source_files_properties(${folder}/api_texts.cc PROPERTIES OBJECT_DEPENDS "${files}"
                              SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${folder}/api_files.cc ${folder}/api_texts.cc)
endfunction()
