#!/usr/bin/env python3
"""Which rules of docs/internals/rules.md does no scenario show?

  ./test coverage-table            the rules without a scenario, and how many
  ./test coverage-table --strict   the same; fails if there are any (or with a number that is none)

A rule marked *later*, or with the name of a test that shows it, needs no scenario. Scenarios name rules in `covers:`.
"""
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
RULE = re.compile(r'^- (R\d+\.\d+\.\d+) (?:\*(\w+)\* )?(.+)$')
COVERS = re.compile(r'^covers:((?:.*\n)(?:[ -].*\n)*)', re.MULTILINE)


def read_rules(text):
    """{number: (mark or None, sentence)}, in the order of the page."""
    rules = {}
    for line in text.splitlines():
        match = RULE.match(line)
        if match:
            if match[1] in rules:
                raise SystemExit(f'{match[1]} is there twice')
            rules[match[1]] = (match[2], match[3])
        elif line.startswith('- R'):
            raise SystemExit(f'not a rule: {line}')
    return rules


def read_covers(folder):
    """{number: [files]} over all scenarios."""
    covered = {}
    for path in sorted(folder.rglob('*.yaml')):
        for match in COVERS.finditer(path.read_text()):
            for name in re.findall(r'R\d+\.\d+\.\d+', match[1]):
                covered.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return covered


def main():
    rules = read_rules((ROOT / 'docs/internals/rules.md').read_text())
    covered = read_covers(ROOT / 'tests/scenarios')
    wanted = [name for name, (mark, _) in rules.items() if mark is None]
    tests = {path.stem for path in ROOT.rglob('*_test.cc')}
    marks = {mark for mark, _ in rules.values()} - {None, 'later'}
    missing = [name for name in wanted if name not in covered]
    unknown = sorted(set(covered) - set(rules))
    for name in missing:
        print(f'  {name:9} {rules[name][1]}')
    for name in unknown:
        print(f'{name} in {covered[name][0]} is no rule of docs/internals/rules.md')
    lost = sorted(marks - tests)
    for mark in lost:
        print(f'{mark} is no test')
    print(f'{len(wanted)} rules, {len(missing)} without a scenario; '
          f'{len(rules) - len(wanted)} come later or are shown by other tests')
    return 1 if unknown or missing or lost else 0


if __name__ == '__main__':
    sys.exit(main())
