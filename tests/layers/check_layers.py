#!/usr/bin/env python3
"""The folder layout is the architecture, and this test holds it.

Fails on an include or a link that points up, on a thread created outside src/main/, and on a
system call, a clock or a die outside src/base/os/. layers.txt says who may see whom.

The rules run first on planted mistakes, because a check that finds nothing may be blind.
"""
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

THREADS = re.compile(
    r'std::(jthread|thread|async)\b(?!::id|::hardware)|\bpthread_create\b|\bthrd_create\b')
THREAD_FOLDERS = {'main'}

SYSTEM_HEADERS = re.compile(
    r'^(unistd\.h|fcntl\.h|sys/.*|sched\.h|signal\.h|csignal|poll\.h|dirent\.h|dlfcn\.h|spawn\.h|'
    r'netdb\.h|netinet/.*|arpa/.*|linux/.*|pthread\.h|termios\.h|filesystem|fstream|thread|future|'
    r'random)$')
SYSTEM_CALLS = re.compile(
    r'\b(getenv|setenv|fork|execve?|popen|system|rand|srand|time|sleep|usleep|nanosleep|fopen|'
    r'kill|mmap|socket)\s*\((?!\s*\)\s*(const|override))|'
    r'(system_clock|steady_clock|high_resolution_clock)::now|std::random_device|sleep_(for|until)')
SYSTEM_FOLDERS = {'base/os'}
# <thread> and <future> are also for waiting; main/ owns the threads.
HEADER_EXCEPTIONS = {'main': {'thread', 'future', 'csignal'}}


def read_layers(text):
    layers = {}
    for line in text.splitlines():
        line = line.split('#')[0].strip()
        if line:
            name, _, below = line.partition(':')
            layers[name.strip()] = set(below.split())
    return layers


def folder_of(path, layers):
    """The longest listed folder that holds the path (relative to src/)."""
    parts = pathlib.PurePosixPath(path).parent.parts
    for length in range(len(parts), 0, -1):
        if '/'.join(parts[:length]) in layers:
            return '/'.join(parts[:length])
    return None


def without_comments_and_strings(text):
    text = re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def is_test(path):
    return re.search(r'_(test|fuzz|property_test|stress_test)\.(cc|h)$', path) is not None


def check_file(path, text, layers):
    """Problems of one file; path is relative to src/."""
    problems = []
    folder = folder_of(path, layers)
    if folder is None:
        return [f'src/{path}: its folder is not listed in tests/layers/layers.txt']
    includes = INCLUDE.findall(re.sub(r'//[^\n]*', '', text))
    for kind, target in includes:
        if kind != '"' or target.startswith('tests/'):
            continue
        other = folder_of(target, layers)
        if other is None:
            problems.append(f'src/{path}: includes "{target}", which is in no listed folder')
        elif other != folder and other not in layers[folder]:
            problems.append(f'src/{path}: {folder} may not include {other} ("{target}")')
    if is_test(path):
        return problems
    if any(kind == '"' and target.startswith('tests/') for kind, target in includes):
        problems.append(f'src/{path}: the product may not include tests/')
    code = without_comments_and_strings(text)
    if folder not in THREAD_FOLDERS:
        for match in THREADS.finditer(code):
            problems.append(f'src/{path}: creates a thread ({match[0]}); only src/main/ does')
    if folder not in SYSTEM_FOLDERS:
        allowed = HEADER_EXCEPTIONS.get(folder, set())
        for kind, target in includes:
            if kind == '<' and SYSTEM_HEADERS.match(target) and target not in allowed:
                problems.append(f'src/{path}: includes <{target}>; only src/base/os/ may')
        for match in SYSTEM_CALLS.finditer(code):
            problems.append(f'src/{path}: calls {match[0].strip()}; only src/base/os/ may')
    return problems


def check_links(text, layers):
    """Problems of build/dev/link_graph.txt: lines `muster_objects: muster_base …`."""
    problems = []
    names = {'muster_' + name.replace('/', '_'): name for name in layers}
    for line in text.splitlines():
        library, _, links = line.partition(':')
        folder = names.get(library.strip())
        if folder is None:
            problems.append(f'{library}: is the library of no listed folder')
            continue
        for link in links.split():
            other = names.get(link)
            if other != folder and (other is None or other not in layers[folder]):
                problems.append(f'{library}: may not link {link}')
    return problems


def check_canaries(layers):
    """Every rule must find a mistake planted for it."""
    planted = {
        'base/a.h': '#include "objects/value.h"\n',
        'store/a.cc': '#include "objects/value.h"\n',
        'core/a.cc': '#include "store/store.h"\n',
        'core/b.cc': '#include "base/os/system_clock.h"\n',
        'server/a.cc': 'void f() { std::thread t([] {}); }\n',
        'base/b.cc': '#include <unistd.h>\n',
        'objects/a.cc': 'auto n = std::chrono::system_clock::now();\n',
        'objects/b.cc': 'const char* home = std::getenv("HOME");\n',
        'cupboard/a.cc': 'int x;\n',
        'objects/c.cc': '#include "tests/suites/x.h"\n',
    }
    problems = [f'canary {path} was not found' for path, text in planted.items()
                if not check_file(path, text, layers)]
    if not check_links('muster_base: muster_objects\n', layers):
        problems.append('canary link was not found')
    innocent = '#include <thread>\n// std::thread\nint f() { return 1; }  // calls getenv("X")\n'
    if check_file('main/a.cc', innocent, layers):
        problems.append('an innocent file was blamed')
    return problems


def main():
    layers = read_layers((ROOT / 'tests/layers/layers.txt').read_text())
    problems = check_canaries(layers)
    files = sorted(path for path in (ROOT / 'src').rglob('*') if path.suffix in ('.h', '.cc'))
    for path in files:
        problems += check_file(path.relative_to(ROOT / 'src').as_posix(), path.read_text(), layers)
    graph = ROOT / 'build/dev/link_graph.txt'
    if graph.exists():
        problems += check_links(graph.read_text(), layers)
    else:
        problems.append(f'{graph} is missing: configure the dev preset first')
    for problem in problems:
        print(problem)
    print(f'{len(files)} files')
    print(f'{0 if problems else 1} passed, {len(problems)} failed')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
