"""A program that answers plans: one JSON request per line in, one answer per line out."""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import select
import subprocess
import time

ANSWER_SECONDS_MAX = 60


class Server:
    """Started again when it dies; a case that kills it is a failure with code 3."""

    def __init__(self, command, log):
        self.command, self.log = command, log
        self.process = None
        self.seconds, self.asked = 0.0, 0

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(self.log, 'wb'), env={**os.environ,
                                                                          'GOMAXPROCS': '1'})

    def ask(self, case, **more):
        if self.process is None:
            self.start()
        began = time.monotonic()
        line = json.dumps({'id': self.asked, 'verb': 'plan', **case, **more}).encode() + b'\n'
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            answer = self.read_line()
        except BrokenPipeError:
            answer = None
        self.seconds += time.monotonic() - began
        self.asked += 1
        if answer is None:
            self.close()
            return {'ok': False, 'code': 3, 'error': f'{self.command[0]} died or hung'}
        return json.loads(answer)

    def read_line(self):
        end = time.monotonic() + ANSWER_SECONDS_MAX
        descriptor = self.process.stdout.fileno()
        parts = []
        while True:
            ready, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            part = os.read(descriptor, 1 << 20)
            if not part:
                return None
            parts.append(part)
            if part.endswith(b'\n'):
                return b''.join(parts)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
