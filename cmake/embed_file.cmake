# Writes INPUT as a C++ source that defines SYMBOL and its size. Compilers promise
# literals of 64 KiB; a longer file is split by topic, as the ones in api/types are.
file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
string(FIND "${text}" ")yaml\"" end_mark)
if(length GREATER_EQUAL 65536 OR NOT end_mark EQUAL -1)
  message(FATAL_ERROR "${INPUT} is too long for one literal, or contains its end mark")
endif()
# No header is included, so that each of these compiles in a few milliseconds.
file(WRITE "${OUTPUT}" "namespace muster::objects {
extern const char ${SYMBOL}[];
extern const decltype(sizeof 0) ${SYMBOL}_size;
const char ${SYMBOL}[] = R\"yaml(${text})yaml\";
const decltype(sizeof 0) ${SYMBOL}_size = sizeof ${SYMBOL} - 1;
}  // namespace muster::objects
")
