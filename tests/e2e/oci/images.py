# Images made of nothing but busybox: an OCI layout written by hand, layer by layer.
# SPDX-License-Identifier: Apache-2.0
import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile

APPLETS = ("sh", "cat", "echo", "env", "grep", "hostname", "httpd", "id", "kill", "ls", "mkdir",
           "mknod", "mount", "printenv", "ps", "pwd", "rm", "sleep", "tar", "test", "touch", "true",
           "tty", "unshare", "wc", "dd", "head", "readlink", "ip")


def layer(files, links=()):
    """A tar of {path: (bytes, mode)} and of links."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for path, (content, mode) in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            entry.mode = mode
            tar.addfile(entry, io.BytesIO(content))
        for path, target in links:
            entry = tarfile.TarInfo(path)
            entry.type = tarfile.SYMTYPE
            entry.linkname = target
            tar.addfile(entry)
    return made.getvalue()


def busybox_layer():
    with open("/bin/busybox", "rb") as file:
        program = file.read()
    files = {"bin/busybox": (program, 0o755),
             "etc/passwd": (b"root:x:0:0::/:/bin/sh\ntrainer:x:1000:100::/:/bin/sh\n", 0o644),
             "etc/group": (b"root:x:0:\nusers:x:100:\nvideo:x:44:trainer\n", 0o644)}
    return layer(files, [(f"bin/{name}", "busybox") for name in APPLETS])


def program_layer(path):
    """A program of this machine with the libraries that it is linked to."""
    wanted = {path: "bin/" + os.path.basename(path)}
    for line in subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        for word in line.split():
            if word.startswith("/"):
                wanted[word] = word.lstrip("/")
    files = {}
    for source, target in wanted.items():
        with open(source, "rb") as file:
            files[target] = (file.read(), 0o755)
    return layer(files)


class Layout:
    """An OCI image layout in a folder."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "blobs/sha256"))
        self.manifests = []
        self.write("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())

    def write(self, path, content):
        with open(os.path.join(self.folder, path), "wb") as file:
            file.write(content)

    def blob(self, content, kind):
        digest = hashlib.sha256(content).hexdigest()
        self.write(f"blobs/sha256/{digest}", content)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def add(self, name, layers, **config):
        kind = "application/vnd.oci.image."
        packed = [self.blob(gzip.compress(each, mtime=0), kind + "layer.v1.tar+gzip")
                  for each in layers]
        diffs = [f"sha256:{hashlib.sha256(each).hexdigest()}" for each in layers]
        described = {"architecture": "amd64", "os": "linux", "config": config,
                     "rootfs": {"type": "layers", "diff_ids": diffs}}
        manifest = {"schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "layers": packed,
                    "config": self.blob(json.dumps(described).encode(), kind + "config.v1+json")}
        entry = self.blob(json.dumps(manifest).encode(), kind + "manifest.v1+json")
        entry["annotations"] = {"org.opencontainers.image.ref.name": name}
        self.manifests.append(entry)
        self.write("index.json", json.dumps(
            {"schemaVersion": 2, "manifests": self.manifests}).encode())
        return described
