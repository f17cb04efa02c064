# What ./start and ./test share: saying what happens, installing what is missing, building a
# preset. Sourced by bash with the root of the tree as the working folder.

# shellcheck shell=bash

if [ -t 1 ]; then terminal=yes; else terminal=no; fi
log_folder=build/logs

say() { printf '%s\n' "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

now_milliseconds() { date +%s%3N; }

# 63412 → 1m03s, 4200 → 4.2s
human_time() {
  local ms=$1
  if ((ms >= 60000)); then
    printf '%dm%02ds' $((ms / 60000)) $((ms / 1000 % 60))
  else
    printf '%d.%ds' $((ms / 1000)) $((ms / 100 % 10))
  fi
}

# step TEXT COMMAND…: one line that says what is being done and, when done, how long it took.
# The command's output goes to a log; its last lines are shown when it fails.
step() {
  local text=$1 log began status=0
  shift
  mkdir -p "$log_folder"
  log=$log_folder/${text//[^A-Za-z0-9]/-}.log
  began=$(now_milliseconds)
  if [ $terminal = yes ]; then
    "$@" >"$log" 2>&1 &
    local pid=$!
    while kill -0 $pid 2>/dev/null; do
      local progress
      progress=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | grep -o '\[[0-9]*/[0-9]*\]' | tail -n 1)
      printf '\r  %-44s %s %s ' "$text" "$(human_time $(($(now_milliseconds) - began)))" "$progress"
      sleep 0.2
    done
    wait $pid || status=$?
    printf '\r\033[K'
  else
    "$@" >"$log" 2>&1 || status=$?
  fi
  printf '  %-44s %s%s\n' "$text" "$(human_time $(($(now_milliseconds) - began)))" \
    "$([ $status = 0 ] || echo "  FAILED, see $log")"
  if [ $status != 0 ]; then tail -n 40 "$log"; fi
  return $status
}

# install_missing LIST…: asks apt only when a package of these files is missing.
install_missing() {
  local wanted missing sudo=
  wanted=$(grep -hv '^#' "$@")
  # shellcheck disable=SC2086
  missing=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    awk '$1 == "installed" {print $2}' | sort -u |
    comm -13 - <(sort -u <<<"$wanted"))
  [ -z "$missing" ] && return
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing, and neither root nor sudo is
here to install them: ${missing//$'\n'/ }"
    sudo=sudo
  fi
  say "Installing from Debian: ${missing//$'\n'/ }"
  step "asking for the package lists" $sudo apt-get update -q ||
    die "apt-get update failed: is this machine online?"
  # shellcheck disable=SC2086
  step "installing" $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing ||
    die "apt-get install failed; the log above says why"
}

# build PRESET TARGET…: configures when there is nothing yet (ninja configures again by itself
# when a CMake file changed) and builds.
build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] ||
    step "configuring $preset" cmake --preset "$preset" || return 1
  step "building $preset${*:+ ($*)}" ninja -C "build/$preset" "$@"
}
