#!/usr/bin/env bash
# Runs the chosen clang-tidy rules (.clang-tidy) over every unit of the product; needs the
# compile commands of the dev preset.
set -uo pipefail
git ls-files 'src/*.cc' | grep -vE '_(test|fuzz)\.cc$' | xargs -r -n 4 -P "$(nproc)" \
  clang-tidy --quiet -p build/dev
