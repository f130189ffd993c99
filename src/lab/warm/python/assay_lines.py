"""JSON lines over a descriptor, one message a line."""

import json
import os


class Channel:
    def __init__(self, fd):
        self.fd = fd
        self.buffer = b""

    def read(self):
        while b"\n" not in self.buffer:
            chunk = os.read(self.fd, 1 << 20)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def write(self, message):
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.fd, data) :]
