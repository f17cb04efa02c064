# Says the requests of a case to a server and hears its answers. One connection for requests, one
# more for each watch that is open.
# SPDX-License-Identifier: Apache-2.0
import base64
import gzip
import http.client
import json
import queue
import re
import socket
import ssl
import threading
import time

import normalise
import webhook
import yaml

PATIENCE_SECONDS = 8
WATCH_SECONDS = 600
QUIET_SECONDS = 0.03
PATCH_TYPES = {"merge": "application/merge-patch+json", "json": "application/json-patch+json",
               "strategic": "application/strategic-merge-patch+json",
               "apply": "application/apply-patch+yaml"}
HEADERS_THAT_MATTER = ("Content-Type", "Warning", "Retry-After", "WWW-Authenticate", "Location")
# A controller writes it into every namespace, sooner or later; the recorded peer does not run it.
UNHEARD = "kube-root-ca.crt"
VARIABLE = re.compile(r"\$\{(\w+)\}")


def is_unheard(value):
    """An object, a row of a table, or a table of that one row."""
    if not isinstance(value, dict):
        return False
    if value.get("kind") == "Table" and len(value.get("rows") or []) == 1:
        return is_unheard(value["rows"][0])
    return (value.get("metadata") or {}).get("name") == UNHEARD or \
        (value.get("cells") or [""])[0] == UNHEARD


def heard(value):
    """The list or table without what no case is about."""
    for key in ("items", "rows"):
        if isinstance(value, dict) and isinstance(value.get(key), list):
            value[key] = [each for each in value[key]
                          if not is_unheard(each)]
    return value


class Server:
    """Where one is, and who we are there. Keeps its connection over the cases."""

    def __init__(self, host, port, token, authority):
        self.host, self.port, self.token = host, port, token
        self.context = ssl.create_default_context(cadata=authority)
        self.connection = None

    def open(self):
        return http.client.HTTPSConnection(self.host, self.port, context=self.context,
                                           timeout=PATIENCE_SECONDS)

    def send(self, method, path, body, headers):
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = self.open()
            try:
                self.connection.request(method, path, body=body, headers=headers)
                response = self.connection.getresponse()
                content = response.read()
                if response.will_close:
                    self.close()
                return response, content
            except (OSError, http.client.HTTPException):
                self.close()
                if attempt == 2:
                    raise

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def simple(self, method, path, body=None):
        """For the suite's own housekeeping: status and value."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                   "User-Agent": "housekeeping"}
        response, content = self.send(method, path, json.dumps(body) if body else None, headers)
        return response.status, content


class Watch:
    """An answer that does not end: events are lines, read by a thread of its own."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in iter(self.response.readline, b""):
                self.lines.put(line)
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # it was closed
        self.lines.put(b"")

    def line(self, seconds):
        """The next event; empty when the watch has ended, None when nothing came."""
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return None

    def close(self):
        try:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass


class Conversation:
    """One case with one server."""

    def __init__(self, server, case, namespace):
        self.server, self.case, self.namespace = server, case, namespace
        self.variables = {"ns": namespace}
        if "${webhook" in str(case.steps):
            hook = running_webhook()
            self.variables["webhook"] = f"https://{hook.address}"
            self.variables["webhook_authority"] = hook.authority
        self.watches = {}
        self.patience_seconds = PATIENCE_SECONDS
        self.normaliser = normalise.Normaliser(namespace, case.keeps_managed_fields,
                                               case.loose_versions)
        if "webhook" in self.variables:
            self.normaliser.known_texts[self.variables["webhook"]] = "<webhook>"
            self.normaliser.known_texts[self.variables["webhook_authority"]] = "<authority>"
        for step in case.steps:
            metadata = step["body"].get("metadata") if isinstance(step.get("body"), dict) else None
            if isinstance(metadata, dict):
                self.normaliser.note_random_base(self.filled(metadata))

    def close(self):
        for watch in self.watches.values():
            watch.close()

    def answer(self, step):
        if "watch" in step:
            return self.open_watch(step)
        if "read" in step:
            return self.read_events(step)
        until = self.filled(step.get("until", {}))
        deadline = time.monotonic() + step.get("patience", self.patience_seconds)
        while True:
            response, content = self.send(step)
            value = heard(parse(response, content))
            if not until or self.holds(until, response, value):
                break
            if time.monotonic() > deadline:
                self.patience_seconds = 0.1  # the rest of the case has little to hope for
                break
            time.sleep(0.05)
        self.save(step, value)
        return self.made(step, response, value)

    @staticmethod
    def holds(until, response, value):
        for path, wanted in until.items():
            found = response.status if path == "status code" else normalise.find(value, path)
            if found != wanted:
                return False
        return True

    def filled(self, value):
        if isinstance(value, dict):
            return {self.filled(key): self.filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if not isinstance(value, str):
            return value
        value = value.replace("$ns", self.namespace)
        return VARIABLE.sub(lambda match: str(self.variables.get(match[1], match[0])), value)

    def headers_and_body(self, step, method):
        headers = {"Accept": "application/json", "User-Agent": "suite/1.0"}
        token = self.filled(step.get("token", self.server.token))
        if token != "none":
            headers["Authorization"] = f"Bearer {token}"
        if "as" in step:
            headers["Impersonate-User"] = self.filled(step["as"])
            for group in step.get("groups", [])[:1]:
                headers["Impersonate-Group"] = self.filled(group)
        body = None
        if "body" in step:
            body = json.dumps(self.filled(step["body"])).encode()
        elif "large" in step:
            body = json.dumps({"metadata": {"name": step.get("name", "large")},
                               "data": {"a": "x" * step["large"]}}).encode()
        elif "text" in step:
            body = self.filled(step["text"]).encode()
        elif "base64" in step:
            body = base64.b64decode("".join(step["base64"].split()))
        if body is not None:
            kind = step.get("type", "application/json")
            headers["Content-Type"] = PATCH_TYPES.get(kind, kind)
        elif method in ("POST", "PUT", "PATCH"):
            body = b""
        for key, value in step.get("headers", {}).items():
            headers.pop(key, None)
            if value is not None:
                headers[key] = self.filled(value)
        return headers, body

    def send(self, step):
        method, path = self.filled(step["request"]).split(" ", 1)
        headers, body = self.headers_and_body(step, method)
        return self.server.send(method, path, body, headers)

    def save(self, step, value):
        for name, path in step.get("save", {}).items():
            self.variables[name] = normalise.find(value, path)

    def made(self, step, response, value):
        """The normalised answer: status, the headers that matter, the body or what is picked."""
        answer = {"status": response.status}
        headers = {}
        for name in (*HEADERS_THAT_MATTER, *step.get("shows", ())):
            found = response.headers.get_all(name)
            if found:
                text = [self.normaliser.text(each) for each in found]
                headers[name] = "<etag>" if name == "ETag" else text if len(text) > 1 else text[0]
        if headers.get("Content-Type") == "application/json":
            del headers["Content-Type"]  # is not worth a line
        elif "Content-Type" not in headers and value is not None:
            headers["Content-Type"] = "none"
        if headers:
            answer["headers"] = headers
        if value is None:
            return answer
        value = self.normaliser.value(value)
        if step.get("sorted") and isinstance(value.get("items"), list):
            value["items"].sort(key=lambda each: str(each.get("metadata", {}).get("name")))
        for path in step.get("ignore", ()):
            normalise.remove(value, path)
        if "pick" in step:
            value = {path: normalise.find(value, path) for path in step["pick"]}
        answer["body"] = value
        return answer

    def open_watch(self, step):
        headers, _ = self.headers_and_body(step, "GET")
        connection = self.server.open()
        connection.timeout = WATCH_SECONDS
        connection.request("GET", self.filled(step["watch"]), headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            value = parse(response, response.read())
            connection.close()
            return self.made(step, response, value)
        self.watches[step["name"]] = Watch(connection, response)
        return self.made(step, response, None)

    def read_events(self, step):
        watch = self.watches.get(step["read"])
        if watch is None:
            return {"events": "the watch is not open"}
        events = []
        while len(events) < step["count"]:
            line = watch.line(self.patience_seconds)
            if not line:
                self.patience_seconds = 0.1
                events.append("ended" if line == b"" else "nothing more came")
                break
            event = json.loads(line)
            if not is_unheard(event["object"]):
                events.append(event)
        further = watch.line(QUIET_SECONDS)
        while further and is_unheard(json.loads(further)["object"]):
            further = watch.line(QUIET_SECONDS)
        if further and len(events) == step["count"]:
            events.append({"one too many": json.loads(further)})
        if events and isinstance(events[-1], dict) and "save" in step:
            self.save(step, events[-1])
        made = []
        for event in events:
            event = self.normaliser.value(event)
            for path in step.get("ignore", ()):
                normalise.remove(event, path)
            if "pick" in step:
                event = {path: normalise.find(event, path) for path in step["pick"]}
            made.append(event)
        return {"events": made}


def running_webhook(running=[]):  # noqa: B006: one for all cases
    if not running:
        running.append(webhook.Webhook())
    return running[0]


def parse(response, content):
    if not content:
        return None
    if response.headers.get("Content-Encoding") == "gzip":
        content = gzip.decompress(content)
    kind = response.headers.get("Content-Type", "")
    try:
        if kind.startswith("application/json"):
            return json.loads(content)
        if kind.startswith("application/yaml"):
            return yaml.safe_load(content)
    except (ValueError, yaml.YAMLError):
        pass
    try:
        lines = content.decode().splitlines(True)
        if len(lines) > 1 and all(line.startswith('{"type":') for line in lines):
            lines = [line for line in lines if not is_unheard(json.loads(line)["object"])]
            return json.loads(lines[0]) if len(lines) == 1 else "".join(lines)
        return content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes"
