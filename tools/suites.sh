# The suites of ./test. Sourced after tools/house.sh.
#
# A suite runs programs that CMake listed in build/<preset>/tests.txt; each prints one line here
# and its whole output into build/logs. Counts are test cases, not programs.

# shellcheck shell=bash disable=SC2154  # log_folder and friends come from house.sh

passed=0
failed=0
failures=()
build_milliseconds=0
test_milliseconds=0
e2e_milliseconds=0
# Random tests start from a new seed each time, but in CI from the same one and for a number of
# inputs that does not depend on the machine: a change must not fail there for what it did not
# touch. 0 lets the fuzzer choose, -1 is no limit.
fuzz_seed=${MUSTER_FUZZ_SEED:-$([ -n "${CI-}" ] && echo 812 || echo 0)}
fuzz_runs=${MUSTER_FUZZ_RUNS:-$([ -n "${CI-}" ] && echo 40000 || echo -1)}
fuzz_seconds=${MUSTER_FUZZ_SECONDS:-$([ -n "${CI-}" ] && echo 90 || echo 10)}  # in CI never the end
[ -z "${CI-}" ] || export RC_PARAMS=${RC_PARAMS:-seed=812}
# How often each suite failed on this machine: ./test all runs the most fragile first.
failure_record=${XDG_CACHE_HOME:-$HOME/.cache}/muster/test-failures

# Runs a timed build and adds it to the build account.
timed_build() {
  local began status=0
  began=$(now_milliseconds)
  build "$@" || status=1
  build_milliseconds=$((build_milliseconds + $(now_milliseconds) - began))
  if [ $status != 0 ]; then
    failed=$((failed + 1))
    failures+=("the build of $1")
  fi
  return $status
}

programs_of() { awk -v suite="$2" '$1 == suite {print $2}' "build/$1/tests.txt"; }

# count_result LABEL LOG STATUS MILLISECONDS: reads GoogleTest's last lines, or the exit status of
# a program that is one test.
count_result() {
  local label=$1 log=$2 status=$3 took=$4 good bad
  good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}.*/\1/p' "$log" | tail -n 1)
  bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) tests\{0,1\}, listed below.*/\1/p' "$log" | tail -n 1)
  if [ -z "$good" ]; then
    good=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$log" | tail -n 1)
    bad=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$log" | tail -n 1)
  fi
  if [ -z "$good" ]; then good=$((status == 0 ? 1 : 0)); fi
  if [ -z "$bad" ]; then bad=0; fi
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi # died before it could count
  passed=$((passed + good))
  failed=$((failed + bad))
  printf '  %-44s %s  %s passed%s\n' "$label" "$(human_time "$took")" "$good" \
    "$([ "$bad" = 0 ] || echo ", $bad FAILED, see $log")"
  if [ "$bad" != 0 ]; then
    failures+=("$label")
    grep -hE '^\[  FAILED  \]|Failure$|^CHECK failed|ERROR: (Address|Leak|Thread)|runtime error:' "$log" |
      sort -u | head -n 20
    # A machine that nobody can look at afterwards prints what a walk said where it failed.
    if [ "$good" = 0 ] || [ -n "${CI-}" ]; then
      grep -n -m 3 -A 30 '^FAILED' "$log" || tail -n 30 "$log"
    fi
  fi
}

# In CI the slow second implementations of the core (quota, topologies, candidates of preemption) are
# asked 10,000 times each.
random_parameters_of() {
  case ${1##*/}/${CI-} in
    core_quota_property_test/?* | core_topology_property_test/?* | core_preemption_property_test/?* | \
      core_preemption_topology_property_test/?*)
      echo "${RC_PARAMS-} max_success=10000" ;;
    *) echo "${RC_PARAMS-}" ;;
  esac
}

# run_programs LABEL_PREFIX COMMAND_PREFIX PROGRAM…: as many at a time as there are cores.
run_programs() {
  local prefix=$1 command=$2 program log
  shift 2
  mkdir -p "$log_folder"
  local waiting=("$@") running=0
  declare -A started=() log_of=() label_of=()
  while ((${#waiting[@]} > 0 || running > 0)); do
    while ((${#waiting[@]} > 0 && running < $(nproc))); do
      program=${waiting[0]}
      waiting=("${waiting[@]:1}")
      log=$log_folder/${prefix}-${program##*/}.log
      # shellcheck disable=SC2086
      RC_PARAMS=$(random_parameters_of "$program") $command "$program" >"$log" 2>&1 </dev/null &
      started[$!]=$(now_milliseconds)
      log_of[$!]=$log
      label_of[$!]="$prefix ${program##*/}"
      running=$((running + 1))
    done
    local pid status=0
    wait -n -p pid || status=$?
    running=$((running - 1))
    count_result "${label_of[$pid]}" "${log_of[$pid]}" "$status" \
      $(($(now_milliseconds) - started[$pid]))
  done
}

# suite PRESET SUITE [COMMAND_PREFIX]: builds and runs one suite of one preset.
suite() {
  local preset=$1 name=$2 command=${3-} programs began
  timed_build "$preset" "suite_$name" || return
  began=$(now_milliseconds)
  mapfile -t programs < <(programs_of "$preset" "$name" | sed "s|^|build/$preset/bin/|")
  run_programs "$preset" "$command" "${programs[@]}"
  test_milliseconds=$((test_milliseconds + $(now_milliseconds) - began))
}

fuzz_one() {
  local name=${1##*/} runs=$fuzz_runs
  name=${name%_fuzz}
  case $name in plan | store_file) # a hundredth of the others' speed
    ((runs < 0)) || runs=$((runs / 40)) ;;
  esac
  mkdir -p "build/check/corpus/$name" "tests/fuzz/corpus/$name"
  "$1" -max_total_time="$fuzz_seconds" -seed="$fuzz_seed" -runs="$runs" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="build/check/corpus/crash-$name-" -print_final_stats=1 \
    "build/check/corpus/$name" "tests/fuzz/corpus/$name"
}

# ThreadSanitizer of clang 14 wants an address space without randomisation.
without_randomisation() { setarch "$(uname -m)" -R "$@"; }

run_layers() {
  local began
  [ -f build/dev/build.ninja ] || step "configuring dev" cmake --preset dev || return
  began=$(now_milliseconds)
  run_programs layers python3 tests/layers/check_layers.py tests/layers/check_tidy.py \
    tests/layers/check_unity_groups.py \
    tools/coverage_table.py
  say "    $(tail -n 1 "$log_folder/layers-coverage_table.py.log")"
  test_milliseconds=$((test_milliseconds + $(now_milliseconds) - began))
}

run_unit() { suite dev unit; }
run_scenario() { suite dev scenario; }
run_store() { suite dev store; }
run_check() {
  suite check unit
  suite check scenario
  suite check store
}
run_fuzz() { suite check fuzz fuzz_one; }
run_tsan() { suite tsan stress without_randomisation; }
run_crash() { suite release crash; }

# Seeds as users run it, and some under the sanitizers. Each program uses all cores itself. A seed
# makes and drops files of megabytes: a heap that keeps its pages saves a twentieth.
run_simulation() {
  MUSTER_SIMULATION_SEEDS=${MUSTER_SIMULATION_SEEDS:-1000} \
    MUSTER_SIMULATION_WILD_SEEDS=${MUSTER_SIMULATION_WILD_SEEDS:-40} \
    MUSTER_SIMULATION_SHORT_SEEDS=${MUSTER_SIMULATION_SHORT_SEEDS:-4000} \
    MUSTER_SIMULATION_SECONDS=${MUSTER_SIMULATION_SECONDS:-840} \
    MUSTER_SIMULATION_SHORT_SECONDS=${MUSTER_SIMULATION_SHORT_SECONDS:-600} \
    GLIBC_TUNABLES=glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=268435456 \
    suite release simulation
  MUSTER_SIMULATION_SEEDS=100 MUSTER_SIMULATION_SECONDS=60 MUSTER_SIMULATION_SHORT_SECONDS=60 \
    suite check simulation only_seeds
}
only_seeds() { "$1" --gtest_filter='Seeds.*'; }

run_format() {
  run_programs lint bash tools/check_format.sh
}

run_lint() {
  run_format
  [ -f build/check/build.ninja ] || step "configuring check" cmake --preset check || return
  run_programs lint bash tools/check_tidy_rules.sh
}

run_e2e() { run_walks e2e; }

# By hand: against programs of others, which are there only if somebody brought them.
run_peers() { run_walks peers; }

# run_walks KIND: the programs `run` in the folders of tests/KIND, one after the other.
run_walks() {
  local kind=$1 began programs
  timed_build release muster muster-trainer || return
  began=$(now_milliseconds)
  mapfile -t programs < <(find "tests/$kind" -mindepth 2 -maxdepth 2 -name run | sort)
  local program
  for program in "${programs[@]}"; do
    local folder=${program%/run}
    local log=$log_folder/$kind-${folder##*/}.log one status=0
    one=$(now_milliseconds)
    bash "$program" >"$log" 2>&1 </dev/null || status=$?
    count_result "$kind ${folder##*/}" "$log" "$status" $(($(now_milliseconds) - one))
  done
  e2e_milliseconds=$((e2e_milliseconds + $(now_milliseconds) - began))
}

run_quick() {
  say "Quick suites (./test all for everything):"
  run_layers
  run_unit
  run_scenario
  run_store
}

failures_of() { cat "$failure_record" 2>/dev/null | grep -cx "$1" || true; }

# Most fragile first; among equals the cheap ones first, so that a mistake shows early. The quick
# suites are in it as `check`: the same tests, with sanitizers; a third build would prove nothing.
# clang-tidy (./test lint) is not: it takes ten minutes, and is run before a landing.
run_all() {
  local order name before
  order=$(for name in layers format check tsan crash simulation e2e fuzz; do
    printf '%s %s\n' "$(failures_of $name)" $name
  done | sort -s -k1,1nr | awk '{print $2}')
  for name in $order; do
    say "Suite $name:"
    before=$failed
    "run_$name"
    if ((failed > before)); then
      mkdir -p "${failure_record%/*}" && echo "$name" >>"$failure_record"
    fi
  done
}

run_bench() {
  timed_build release suite_bench || exit 1
  local program
  for program in $(programs_of release bench); do
    say
    say "$program"
    "build/release/bin/$program" || failed=$((failed + 1))
  done
  return $((failed > 0))
}

run_coverage() {
  suite coverage unit
  suite coverage scenario
  suite coverage store
  gcovr -r . --object-directory build/coverage -f 'src/' -e '.*_(test|fuzz)\.cc' \
    --exclude-unreachable-branches | tail -n 200
}

# run_matching WORD…: a word is a suite, a part of a program's name, or a part of a test's name.
run_matching() {
  local word program cases filter any=no
  for word in "$@"; do
    if declare -F "run_$word" >/dev/null; then
      "run_$word"
      any=yes
      continue
    fi
    timed_build dev || return
    while read -r program; do
      if [[ ${program,,} == *"${word,,}"* ]]; then
        run_programs dev '' "build/dev/bin/$program"
        any=yes
        continue
      fi
      cases=$("build/dev/bin/$program" --gtest_list_tests |
        awk '/^[^ ]/ {suite = $1; next} {print suite $1}' | grep -i -F -- "$word")
      [ -n "$cases" ] || continue
      any=yes
      filter=$(paste -sd: - <<<"$cases")
      run_filtered() { "$1" --gtest_filter="$filter"; }
      run_programs dev run_filtered "build/dev/bin/$program"
    done < <(awk '$1 != "bench" && $1 != "fuzz" && $1 != "crash" && $1 != "simulation" {print $2}' build/dev/tests.txt)
  done
  [ $any = yes ] || die "nothing matches $*; ./test --list shows what there is"
}

list_suites() {
  [ -f build/dev/tests.txt ] || step "configuring dev" cmake --preset dev
  say "quick: layers unit scenario store"
  say "all: layers format check (the quick ones, sanitized) tsan crash simulation e2e fuzz"
  say "by hand: lint, bench, coverage, peers (muster controller on a real Kubernetes;"
  say "  MUSTER_REAL_KUBERNETES names the tool)"
  sort -u build/dev/tests.txt
  [ -f build/check/tests.txt ] && awk '$1 == "fuzz"' build/check/tests.txt
}

# The last lines: what failed, how long it took, and the line that CI reads.
finish() {
  mkdir -p build
  printf 'build %d\ntests %d\ne2e %d\n' $((build_milliseconds / 1000)) \
    $((test_milliseconds / 1000)) $((e2e_milliseconds / 1000)) >build/test-times
  ((${#failures[@]} == 0)) || printf 'failed: %s\n' "${failures[@]}"
  say "Took $(human_time $(($(now_milliseconds) - $1)))."
  say "$passed passed, $failed failed"
  exit $((failed > 0 || passed == 0))
}
