#!/usr/bin/env python3
"""Which source files of a library may be compiled as one translation unit.

    unity_groups.py FOLDER FILE...     prints `FILE GROUP` lines, in the order of the files

Names in unnamed namespaces are private to a file, so two files may both have a `component` or a
`checks`. Compiled together they would clash; the files that share such a name come into different
groups. A private name that a header also has would hide the header's from the others: such a file
goes only with files that never say that word, neither themselves nor in a header that they bring.
The layout of clang-format is what makes this simple: what stands at the first column is a
declaration.
"""
import dataclasses
import functools
import pathlib
import re
import sys

FILES_MAX = 12  # more gains little, and two compilers at a time must fit into 4 GB

OPENED = re.compile(r'^namespace \{')
CLOSED = re.compile(r'^\}  // namespace$')
TYPE = re.compile(r'^(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)')
ALIAS = re.compile(r'^using (\w+) =')
FUNCTION = re.compile(r'\b(\w+)\(')
VARIABLE = re.compile(r'\b(\w+)(?:\[\w*\])*(?: = |\{| =$)')
IMPORT = re.compile(r'^using ((?:\w+::)+(\w+));')
INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
WORD = re.compile(r'\w+')
MACRO = re.compile(r'^#define (\w+)')


def declared_name(line):
    """The name that a line at the first column declares, if it declares one."""
    for pattern, look in ((TYPE, re.match), (ALIAS, re.match), (FUNCTION, re.search),
                          (VARIABLE, re.search)):
        if found := look(pattern, line):
            return found[1]
    return None


def public_names(folders):
    """What the headers of these folders declare."""
    headers = [header for folder in folders for header in pathlib.Path(folder).rglob('*.h')]
    return {declared_name(line) for header in headers
            for line in header.read_text().splitlines() if line[:1].isalpha()}


def names_of(file, text):
    """What each short name of a file stands for: two files go together where they agree."""
    names, inside = {}, False
    for line in text.splitlines():
        if macro := MACRO.match(line):
            names[macro[1]] = file
        if imported := IMPORT.match(line):
            names[imported[2]] = imported[1]
        if OPENED.match(line):
            inside = True
        elif CLOSED.match(line):
            inside = False
        elif inside and line[:1].isalpha():
            if name := declared_name(line):
                names[name] = file
    return names


@dataclasses.dataclass(frozen=True)
class File:
    """What matters of a source file for those it is compiled with."""
    name: str
    names: dict     # what each of its short names stands for
    hidden: set     # those of them by which others may mean a header's
    words: set      # that it says
    headers: frozenset = frozenset()  # that it brings, with theirs


def read_file(name, text, own, others, headers=frozenset()):
    names = names_of(name, text)
    hidden = {word for word, of in names.items() if word in own or (of == name and word in others)}
    return File(name, names, hidden, set(WORD.findall(text)), headers)


@functools.cache
def words_of_header(header):
    return frozenset(WORD.findall(header.read_text()))


@functools.cache
def headers_of(source, path):
    """The project's headers that a file includes, and those that they do."""
    found = set()
    for name in INCLUDE.findall(path.read_text()):
        header = source / name
        if header not in found and header.exists():
            found |= {header} | headers_of(source, header)
    return frozenset(found)


def hides(one, other):
    """Whether a word that the other says, or a header that it brings, would mean the one's."""
    return any(word in other.words or any(word in words_of_header(header)
                                          for header in other.headers - one.headers)
               for word in one.hidden)


def go_together(one, other):
    agree = all(other.names.get(name, of) == of for name, of in one.names.items())
    return agree and not hides(one, other) and not hides(other, one)


def groups_of(files):
    """Each file goes into the first group that has room and that it goes together with."""
    groups = []
    for file in files:
        for number, group in enumerate(groups):
            if len(group) < FILES_MAX and all(go_together(file, each) for each in group):
                group.append(file)
                break
        else:
            number = len(groups)
            groups.append([file])
        yield file.name, number


def main():
    folder, *files = sys.argv[1:]
    source = pathlib.Path(__file__).parent.parent / 'src'
    own = public_names([folder])
    others = public_names([source])
    read = (read_file(file, path.read_text(), own, others, headers_of(source, path))
            for file in files if file.endswith('.cc')
            for path in [pathlib.Path(folder, file)])
    for file, group in groups_of(read):
        print(file, group)


if __name__ == '__main__':
    main()
