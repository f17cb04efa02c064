# A client without manners: what kubectl would never send.
# SPDX-License-Identifier: Apache-2.0
import base64
import http.client
import json
import re
import socket
import ssl


class Access:
    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            text = file.read()

        def field(name):
            return re.search(rf"{name}: *\"?([^\"\n]+)", text).group(1)

        self.host, port = field("server").replace("https://", "").split(":")
        self.port = int(port)
        self.token = field("token")
        self.authority = base64.b64decode(field("certificate-authority-data")).decode()
        self.context = ssl.create_default_context(cadata=self.authority)

    def connect(self):
        plain = socket.create_connection((self.host, self.port), timeout=30)
        return self.context.wrap_socket(plain, server_hostname=self.host)

    def head(self, method, path, extra=""):
        return (f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n"
                f"Authorization: Bearer {self.token}\r\n{extra}\r\n").encode()

    def send_endless_body(self, path, size):
        """The status that comes back, whether or not the server let the body through."""
        client = self.connect()
        client.sendall(self.head("POST", path, "Content-Type: application/json\r\n"
                                               f"Content-Length: {size}\r\n"))
        try:
            for _ in range(size // 65536):
                client.sendall(b"a" * 65536)
        except OSError:
            pass  # it need not listen to the end
        answer = client.recv(64)
        client.close()
        return int(answer.split()[1])

    def open_watch_and_never_read(self, path):
        client = self.connect()
        client.sendall(self.head("GET", path + "?watch=true"))
        return client

    def get(self, path):
        """The value at a path, or None where there is none."""
        client = http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=30)
        client.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        response = client.getresponse()
        content = response.read()
        client.close()
        return json.loads(content) if response.status == 200 else None

    def status(self, path, headers):
        client = http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=30)
        client.request("GET", path, headers=headers)
        status = client.getresponse().status
        client.close()
        return status
