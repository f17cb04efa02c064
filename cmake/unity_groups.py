#!/usr/bin/env python3
"""Which source files of a library may be compiled as one translation unit.

    unity_groups.py FOLDER FILE...     prints `FILE GROUP` lines, in the order of the files

Names in unnamed namespaces are private to a file, so two files may both have a `component` or a
`checks`. Compiled together they would clash; the files that share such a name come into different
groups. A file that has a private name which a header also has (of its folder, of base/ or objects/,
whose functions are found by their arguments) stands alone: it would hide the header's from the
others. The layout of clang-format is what makes this simple: what stands at the first column is a
declaration.
"""
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


def hides(file, names, own, others):
    """Whether a file says something else by a name of a header that the others may mean."""
    return any(name in own or (of == file and name in others) for name, of in names.items())


def groups_of(files, own, others):
    """Each file goes into the first group that has room and disagrees with none of its names."""
    groups = []
    for file, names in files:
        number = len(groups)
        if hides(file, names, own, others):
            groups.append((FILES_MAX, {}))
            yield file, number
            continue
        for known, (size, taken) in enumerate(groups):
            if size < FILES_MAX and all(taken.get(name, of) == of for name, of in names.items()):
                number = known
                groups[known] = (size + 1, taken | names)
                break
        else:
            groups.append((1, names))
        yield file, number


def main():
    folder, *files = sys.argv[1:]
    source = pathlib.Path(__file__).parent.parent / 'src'
    texts = ((file, names_of(file, pathlib.Path(folder, file).read_text()))
             for file in files if file.endswith('.cc'))
    own = public_names([folder])
    others = public_names([source / 'base', source / 'objects'])
    for file, group in groups_of(texts, own, others):
        print(file, group)


if __name__ == '__main__':
    main()
