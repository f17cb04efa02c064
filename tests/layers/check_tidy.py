#!/usr/bin/env python3
"""Size and hygiene are tests: what a reviewer would otherwise say again and again.

Each rule is a function from a file to its problems; each has a planted mistake it must find.
"""
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES_MAX = 500
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
SPDX = '// SPDX-License-Identifier: Apache-2.0'
BANNED_NAMES = re.compile(r'(^|_)(manager|util|utils|helper|helpers|common|misc|impl)(_|\.|$)')
BANNED_TYPES = re.compile(r'\b(?:class|struct)\s+\w*(Manager|Util|Utils|Helper|Common|Misc|Impl)\b')
BANNED_WORDS = re.compile(r'\b(TODO|FIXME|XXX|HACK)\b')


def rule_columns(path, text):
    return [f'line {number} has {len(line)} columns'
            for number, line in enumerate(text.splitlines(), 1)
            if len(line) > COLUMNS_MAX and 'http' not in line]


def rule_lines(path, text):
    count = text.count('\n')
    return [f'has {count} lines, more than {LINES_MAX}'] if count > LINES_MAX else []


def rule_spdx(path, text):
    head = text.splitlines()[:40]
    return [] if SPDX in head else [f'misses the line {SPDX}']


def rule_header(path, text):
    if path.suffix != '.h':
        return []
    problems = []
    if not text.startswith('// '):
        problems.append('must open with a comment that says what it is')
    if '#pragma once' not in text:
        problems.append('misses #pragma once')
    return problems


def rule_names(path, text):
    problems = []
    if BANNED_NAMES.search(path.name):
        problems.append('has a file name that says nothing')
    problems += [f'names a type {match[0]}' for match in BANNED_TYPES.finditer(text)]
    return problems


def rule_words(path, text):
    return [f'has {match[0]}: do it, or write down why not in docs/'
            for match in BANNED_WORDS.finditer(text)]


def rule_try(path, text):
    """TRY leaves a braced initializer by `return`, and the members already built leak."""
    blocks = re.compile(r'\b(if|for|while|else|switch|do)\b|\)\s*(const\s*)?\{|\]\s*\{')
    return [f'line {number}: TRY inside a braced initializer'
            for number, line in enumerate(text.splitlines(), 1)
            if re.search(r'\{[^;{}]*\bTRY\(', line) and not blocks.search(line)]


def rule_functions(path, text):
    """A body is what stands between a line ending in `{` at some indent and the line `}` there."""
    problems, opened = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if opened is None:
            starts = re.match(r'^(?:  )?(?=\S)(?!namespace|class|struct|enum|union|extern)', line)
            if starts and re.search(r'\)\s*(const|noexcept|override|\s|->\s*[\w:<>]+)*\{$', line):
                opened = (number, len(line) - len(line.lstrip()))
        elif line.startswith(' ' * opened[1] + '}') :
            length = number - opened[0] + 1
            if length > FUNCTION_LINES_MAX:
                problems.append(f'line {opened[0]}: a function of {length} lines')
            opened = None
    return problems


RULES = [rule_columns, rule_lines, rule_spdx, rule_header, rule_names, rule_words, rule_try,
         rule_functions]


def check(path, text):
    return [f'{path}: {problem}' for rule in RULES for problem in rule(path, text)]


def check_canaries():
    good = f'// What it is.\n{SPDX}\n#pragma once\n'
    planted = {
        rule_columns: ('a.h', good + '/' * 101 + '\n'),
        rule_lines: ('a.h', good + '\n' * 501),
        rule_spdx: ('a.cc', 'int x;\n'),
        rule_header: ('a.h', SPDX.replace('//', '/*') + '*/'),
        rule_names: ('job_manager.h', good),
        rule_words: ('a.cc', '// TO' + 'DO: later\n'),
        rule_try: ('a.cc', '  return Pair{TRY(f()), TRY(g())};\n'),
        rule_functions: ('a.cc', 'void f() {\n' + '  g();\n' * 80 + '}\n'),
    }
    return [f'canary of {rule.__name__} was not found' for rule, (name, text) in planted.items()
            if not rule(pathlib.PurePath(name), text)]


def check_repository():
    """The files that a visitor looks for, and no generated or foreign ones."""
    names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md',
             'LICENSE', 'start', 'test', '.ci/run']
    problems = [f'{name} is missing' for name in names if not (ROOT / name).exists()]
    large = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, check=True)
    for name in large.stdout.decode().split('\0'):
        path = ROOT / name
        if name and path.is_file() and path.stat().st_size > 1024 * 1024:
            problems.append(f'{name} is larger than 1 MiB')
    return problems


def check_links_in_documents():
    """A relative link in a Markdown file leads somewhere."""
    problems = []
    documents = [p for p in ROOT.glob('*.md')] + list((ROOT / 'docs').rglob('*.md'))
    for document in documents:
        for target in re.findall(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)', document.read_text()):
            if not (document.parent / target).exists():
                problems.append(f'{document.relative_to(ROOT)}: links to {target}, which is not there')
    return problems


def main():
    problems = check_canaries() + check_repository() + check_links_in_documents()
    files = [path for folder in ('src', 'tests', 'bench', 'tools')
             for path in sorted((ROOT / folder).rglob('*')) if path.suffix in ('.h', '.cc')]
    for path in files:
        problems += check(path.relative_to(ROOT), path.read_text())
    for problem in problems:
        print(problem)
    print(f'{len(files)} files')
    print(f'{0 if problems else 1} passed, {len(problems)} failed')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
