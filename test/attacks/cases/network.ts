import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import type { Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

/** Servers of the host that the code tries to reach, and that answer any caller who does. */
async function hostServers(bench: Bench) {
  const banner = 'hello from the host';
  const open = async (where: string | { port: number; host: string }): Promise<Server> => {
    const server = createServer((socket) => socket.end(banner));
    server.listen(where);
    await once(server, 'listening');
    return server;
  };
  const abstract = `assay-${process.pid}-${Date.now()}`;
  const unix = bench.scratch('socket');
  const servers = [await open({ port: 0, host: '127.0.0.1' }), await open(`\0${abstract}`), await open(unix)];
  const address = servers[0]?.address();
  assert.ok(typeof address === 'object' && address !== null);
  for (const where of [
    { port: address.port, host: '127.0.0.1' },
    { path: `\0${abstract}` },
    { path: unix },
  ]) {
    assert.equal(
      await readAll(where),
      banner,
      'the host itself cannot reach its server, so no refusal counts',
    );
  }
  return { port: address.port, abstract, unix, close: () => servers.map((server) => server.close()) };
}

async function readAll(where: { port: number; host: string } | { path: string }): Promise<string> {
  const socket = connect(where);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

async function everyWayOut(bench: Bench): Promise<void> {
  const host = await hostServers(bench);
  try {
    const code = `
def reach(family, address, kind=socket.SOCK_STREAM):
    def go():
        s = socket.socket(family, kind)
        s.settimeout(3)
        s.connect(address)
        if kind == socket.SOCK_DGRAM:
            s.send(b"x")
        return s.recv(100).decode()
    return attempt(go)
say("table", {
    "outside": reach(socket.AF_INET, ("1.1.1.1", 443)),
    "outside udp": reach(socket.AF_INET, ("8.8.8.8", 53), socket.SOCK_DGRAM),
    "outside v6": reach(socket.AF_INET6, ("2606:4700:4700::1111", 443)),
    "private": reach(socket.AF_INET, ("10.0.0.1", 80)),
    "metadata": reach(socket.AF_INET, ("169.254.169.254", 80)),
    "broadcast": reach(socket.AF_INET, ("255.255.255.255", 9), socket.SOCK_DGRAM),
    "host loopback": reach(socket.AF_INET, ("127.0.0.1", ${host.port})),
    "host abstract socket": reach(socket.AF_UNIX, "\\0${host.abstract}"),
    "host socket file": reach(socket.AF_UNIX, "${host.unix}"),
    "dns": attempt(lambda: socket.getaddrinfo("example.com", 443)),
})
`;
    const ran = await bench.run({ argv: python(code) });
    ran.exited();
    const table = ran.table('table');
    assert.equal(Object.keys(table).length, 10);
    for (const [way, result] of Object.entries(table)) {
      assert.doesNotMatch(result, /^ok/, `reached: ${way}`);
      assert.match(
        result,
        way === 'dns' ? /gaierror|^E/ : /^E(NETUNREACH|CONNREFUSED|NOENT|ACCES|PERM|ADDRNOTAVAIL)$/,
        way,
      );
    }
  } finally {
    host.close();
  }
}

const families = {
  AX25: 3,
  IPX: 4,
  X25: 9,
  KEY: 15,
  PACKET: 17,
  RDS: 21,
  CAN: 29,
  TIPC: 30,
  BLUETOOTH: 31,
  ALG: 38,
  NFC: 39,
  VSOCK: 40,
  KCM: 41,
  QIPCRTR: 42,
  SMC: 43,
  XDP: 44,
};
const netlinks = {
  USERSOCK: 2,
  SOCK_DIAG: 4,
  XFRM: 6,
  AUDIT: 9,
  CONNECTOR: 11,
  NETFILTER: 12,
  UEVENT: 15,
  GENERIC: 16,
};

async function everyFamily(bench: Bench): Promise<void> {
  const code = `
table = {}
for name, family in ${JSON.stringify(families)}.items():
    for kind in (1, 2, 3, 5):
        table[name + " %d" % kind] = call(41, family, kind, 0)
for name, protocol in ${JSON.stringify(netlinks)}.items():
    table["NETLINK " + name] = call(41, 16, 3, protocol)
    table["NETLINK %s with upper bits" % name] = call(41, (1 << 32) | 16, 3, (1 << 32) | protocol)
    table["socketpair " + name] = call(53, 16, 3, protocol, (ctypes.c_int * 2)())
table["raw ip"] = call(41, 2, 3, 255)
table["raw icmp"] = call(41, 2, 3, 1)
table["raw icmp6"] = call(41, 10, 3, 58)
table["vsock connect"] = attempt(lambda: socket.socket(40, 1).connect((2, 1)))
say("table", table)
say("control", [call(41, 2, 1, 0)[:2], call(41, 10, 1, 0)[:2], call(41, 1, 1, 0)[:2], call(41, 16, 3, 0)[:2]])
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.deepEqual(ran.fact('control'), ['ok', 'ok', 'ok', 'ok'], 'the families that must work do not');
  const table = ran.table('table');
  for (const [name, result] of Object.entries(table)) {
    const refusal = /^(raw|vsock connect|socketpair)/.test(name) ? /^E/ : /^(EAFNOSUPPORT|EPERM|EACCES)$/;
    assert.match(result, refusal, name);
  }
  assert.ok(Object.keys(table).length > 80);
}

/** What honest test suites need goes on working. */
async function ownLoopback(bench: Bench): Promise<void> {
  const code = `
server = socket.create_server(("127.0.0.1", 0))
def answer():
    caller, _ = server.accept()
    caller.sendall(b"own " + caller.recv(10))
    caller.close()
threading.Thread(target=answer).start()
caller = socket.create_connection(server.getsockname(), 5)
caller.sendall(b"server")
say("tcp", caller.recv(100).decode())
say("localhost", attempt(lambda: socket.create_connection(("localhost", server.getsockname()[1]), 5).close()))
six = attempt(lambda: socket.create_server(("::1", 0), family=socket.AF_INET6).close())
say("v6", six)
one, other = socket.socketpair()
one.send(b"pair")
say("pair", other.recv(10).decode())
say("interfaces", [name for _, name in socket.if_nameindex()])
route = socket.socket(16, socket.SOCK_RAW, 0)
route.send(struct.pack("=IHHIIBxHiII", 32, 18, 0x301, 1, 0, 0, 0, 0, 0, 0))
say("route", len(route.recv(65536)) > 100)
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.equal(ran.fact('tcp'), 'own server');
  assert.equal(ran.fact('localhost'), 'ok');
  assert.equal(ran.fact('pair'), 'pair');
  assert.deepEqual(ran.fact('interfaces'), ['lo']);
  assert.equal(ran.fact('route'), true);
}

export const attacks: Attack<Bench>[] = [
  { number: 17, title: 'nothing of the host or beyond can be reached', perform: everyWayOut },
  {
    number: 17,
    title: 'socket families but unix, internet and netlink ROUTE are refused',
    perform: everyFamily,
  },
  {
    number: 17,
    title: "a server on the sandbox's own loopback and the list of its interfaces work",
    perform: ownLoopback,
  },
];
