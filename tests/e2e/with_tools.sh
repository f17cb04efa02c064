# with_tools WALK TOOL…: runs the walk once every program of the peers is there. They come from the
# Go module proxy; where it cannot be reached the walk says so and counts nothing, for that says
# nothing about us.
# shellcheck shell=bash
with_tools() {
  local walk=$1 tool
  shift
  for tool in "$@"; do
    # shellcheck disable=SC2086  # "client manager" is two words
    if ! timeout 900 tests/peers/tool $tool >/dev/null; then
      echo "NOT TRIED: $tool cannot be built here; the reason stands above"
      echo "0 passed, 0 failed"
      exit 0
    fi
  done
  exec python3 "$walk"
}
