#!/usr/bin/env python3
"""Checks cmake/unity_groups.py: files that would clash in one translation unit are kept apart.

A wrong group does not always fail to compile: a private function of one file may answer a call of
another. So each way to clash has a planted pair here.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / 'cmake'))
import unity_groups  # noqa: E402  (found by the line above)


def private(declaration):
    return f'namespace muster {{\n\nnamespace {{\n\n{declaration}\n\n}}  // namespace\n\n}}\n'


# what clashes, the one file, the other
APART = [
    ('functions', private('int one(int value) {'), private('bool one() {')),
    ('constants', private('constexpr int most = 3;'), private('constexpr Text most{};')),
    ('tables', private('constexpr Check checks[] = {'), private('constexpr Check checks[] = {')),
    ('types', private('struct Look {'), private('class Look {')),
    ('a type and an alias', private('struct Look {'), private('using Look = int;')),
    ('imports of different things', 'using objects::Node;', 'using core::Node;'),
    ('an import and a private type', 'using objects::Node;', private('struct Node {')),
    ('macros', '#define EACH(x) x', '#define EACH(x) (x)'),
    ('a name of an own header', private('int own_header() {'), 'int other = own_header();'),
    ('an import that an own header has', 'using objects::own_header;', 'own_header other;'),
    ('a private name of another header', private('int far_header() {'), 'int a = far_header();'),
]
TOGETHER = [
    ('an import that another header has', 'using objects::far_header;', 'int a = far_header();'),
    ('a name of a header that the other never says', private('int own_header() {'), 'int a = 1;'),
    ('the same import', 'using objects::Node;', 'using objects::Node;'),
    ('different private names', private('int one() {'), private('int other() {')),
    ('a local variable', private('int one() {\n  int two = 2;'), private('int two() {')),
]


def share_a_group(one, other):
    files = [unity_groups.read_file(name, text, {'own_header'}, {'far_header'})
             for name, text in (('a', one), ('b', other))]
    groups = dict(unity_groups.groups_of(files))
    return groups['a'] == groups['b']


def header_keeps_apart():
    """A private name of one file, which a header says that only the other brings."""
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, 'loud.h')
        header.write_text('inline int loud() { return own_header(); }')
        hiding = unity_groups.read_file('a', private('int own_header() {'), {'own_header'}, set())
        bringing = unity_groups.read_file('b', 'int b;', set(), set(), frozenset([header]))
        groups = dict(unity_groups.groups_of([hiding, bringing]))
        return groups['a'] != groups['b']


def main():
    together = [f'compiled together: {what}' for what, *files in APART if share_a_group(*files)]
    if not header_keeps_apart():
        together.append('compiled together: a word of a header that the other brings')
    apart = [f'kept apart: {what}' for what, *files in TOGETHER if not share_a_group(*files)]
    problems = together + apart
    for problem in problems:
        print(f'check_unity_groups: {problem}')
    total = len(APART) + len(TOGETHER) + 1
    print(f'{total - len(problems)} passed, {len(problems)} failed')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
