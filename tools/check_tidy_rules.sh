#!/usr/bin/env bash
# Runs the chosen clang-tidy rules (.clang-tidy) over every unit of the product, with the compile
# commands of the check preset: that is clang's own, and has no precompiled headers of g++.
set -uo pipefail
git ls-files 'src/*.cc' | grep -vE '_(test|fuzz)\.cc$' | xargs -r -n 4 -P "$(nproc)" \
  clang-tidy --quiet -p build/check
