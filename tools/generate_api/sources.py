# SPDX-License-Identifier: Apache-2.0
"""Where published definitions are read from: a git repository at a revision, or a plain folder.

`open_tree("/path/to/repo@v1.36.3")` needs no work tree; `open_tree("/path/to/folder")` reads files.
"""
import os
import subprocess


class GitTree:
    def __init__(self, repository, revision):
        self.repository = repository
        self.revision = revision

    def read(self, path):
        return self._git("show", f"{self.revision}:{path}")

    def list(self, folder):
        names = self._git("ls-tree", "--name-only", self.revision, folder.rstrip("/") + "/")
        return sorted(names.split())

    def _git(self, *arguments):
        command = ["git", "-C", self.repository, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class FolderTree:
    def __init__(self, root):
        self.root = root

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def list(self, folder):
        folder = folder.rstrip("/")
        return sorted(f"{folder}/{name}" for name in os.listdir(os.path.join(self.root, folder)))


def open_tree(text):
    path, at, revision = text.partition("@")
    return GitTree(path, revision) if at else FolderTree(path)
