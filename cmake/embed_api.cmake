# Compiles api/ into a library: one small source per file, so that a change of one YAML file
# compiles that file again and nothing else, and an index that changes only with the list.
#
#   muster_embed_api(muster_objects)
#
# A new file in api/ is found by itself; its place in the index is that of its sorted path.
function(muster_embed_api target)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS
    RELATIVE ${CMAKE_SOURCE_DIR}/api ${CMAKE_SOURCE_DIR}/api/*.yaml)
  list(SORT paths)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/api)
  set(sources)
  set(API_DECLARATIONS "")
  set(API_ENTRIES "")
  foreach(path IN LISTS paths)
    string(MAKE_C_IDENTIFIER "api_${path}" symbol)
    set(source ${folder}/${symbol}.cc)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D INPUT=${CMAKE_SOURCE_DIR}/api/${path} -D OUTPUT=${source}
              -D SYMBOL=${symbol} -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
      DEPENDS ${CMAKE_SOURCE_DIR}/api/${path} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
      COMMENT "Embedding api/${path}"
      VERBATIM)
    list(APPEND sources ${source})
    string(APPEND API_DECLARATIONS "extern const char ${symbol}[];\nextern const std::size_t ${symbol}_size;\n")
    string(APPEND API_ENTRIES "      {\"${path}\", {${symbol}, ${symbol}_size}},\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/api_files.cc.in ${folder}/api_files.cc @ONLY)
  target_sources(${target} PRIVATE ${folder}/api_files.cc ${sources})
endfunction()
