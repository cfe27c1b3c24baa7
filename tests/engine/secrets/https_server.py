"""Serves a folder over TLS to whoever names the right user and password. Prints its port."""
import base64
import http.server
import ssl
import sys

root, certificate, key, user, password = sys.argv[1:]
wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=root)

    def do_GET(self):
        if self.headers.get("Authorization") == wanted:
            return super().do_GET()
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="test"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
