import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connection, hasSockets } from './connection.ts';
import { MessageCodec } from './message.ts';
import { loadZeroMq } from './zeromq.ts';

const key = 'a-key';

function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The kernel's side of the sockets, with a file name as some kernels make it. */
async function kernelIn(folder: string, separator: '-' | ':' = '-') {
  const zeromq = await loadZeroMq();
  const sockets = [new zeromq.Router(), new zeromq.Publisher(), new zeromq.Router(), new zeromq.Router()];
  for (const [index, socket] of sockets.entries()) {
    socket.linger = 0;
    await socket.bind(`ipc://${folder}/s${separator}${index + 1}`);
  }
  const close = () => sockets.map((socket) => socket.close());
  onTestFinished(() => void close());
  const [shell] = sockets;
  if (!(shell instanceof zeromq.Router)) throw new Error('no shell');
  return { zeromq, shell, close };
}

async function connect(folder: string, onMessage: (type: string) => void = () => {}): Promise<Connection> {
  const zeromq = await loadZeroMq();
  const connection = new Connection({ zeromq, folder, key, onMessage: (_, { type }) => onMessage(type) });
  onTestFinished(() => connection.close());
  return connection;
}

describe('Connection', () => {
  it.each(['-', ':'] as const)('speaks to a kernel whose sockets are named with %s', async (separator) => {
    const folder = folderFor('assay-connection-');
    expect(hasSockets(folder)).toBe(false);
    const { shell } = await kernelIn(folder, separator);
    expect(hasSockets(folder)).toBe(true);
    let hear = (_: string) => {};
    const heard = new Promise<string>((resolve) => {
      hear = resolve;
    });
    const connection = await connect(folder, (type) => hear(type));
    for (let n = 0; n < 50; n++) connection.send('shell', 'kernel_info_request', { n });
    const codec = new MessageCodec({ key });
    let identity: Buffer = Buffer.alloc(0);
    for (let n = 0; n < 50; n++) {
      const [from = identity, ...frames] = await shell.receive();
      identity = from;
      expect(codec.decode(frames)?.content).toEqual({ n });
    }
    // Nobody believes the first, which is signed with another key.
    await shell.send([identity, ...new MessageCodec({ key: 'another' }).encode('forged', {}).frames]);
    await shell.send([identity, ...codec.encode('kernel_info_reply', {}).frames]);
    expect(await heard).toBe('kernel_info_reply');
    expect(connection.unreadable).toBe(1);
  });

  it('finds a socket in a folder whose path is longer than a socket address', async () => {
    const folder = folderFor('assay-connection-');
    const long = join(folderFor(`assay-${'x'.repeat(120)}-`), 'link');
    symlinkSync(folder, long);
    const { shell } = await kernelIn(folder);
    const connection = await connect(long);
    connection.send('shell', 'kernel_info_request', {});
    expect((await shell.receive()).length).toBeGreaterThan(5);
  });

  it('connects to no other socket when the code puts a link in the place of its own', async () => {
    const folder = folderFor('assay-connection-');
    const elsewhere = join(folderFor('assay-elsewhere-'), 'socket');
    let visits = 0;
    let visited = () => {};
    const server = createServer((socket) => {
      visits++;
      socket.destroy();
      visited();
    }).listen(elsewhere);
    onTestFinished(() => void server.close());
    const { zeromq, shell, close } = await kernelIn(folder);
    // What libzmq does by itself with a path, to show that the attack is one.
    const naive = new zeromq.Dealer({ linger: 0, reconnectInterval: 20 });
    naive.connect(`ipc://${folder}/s-1`);
    onTestFinished(() => naive.close());
    const connection = await connect(folder);
    connection.send('shell', 'kernel_info_request', {});
    await shell.receive();
    const attacked = new Promise<void>((resolve) => {
      visited = resolve;
    });
    for (let n = 1; n <= 4; n++) {
      renameSync(`${folder}/s-${n}`, `${folder}/x-${n}`);
      symlinkSync(elsewhere, `${folder}/s-${n}`);
    }
    close();
    await attacked;
    naive.close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = visits;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(visits).toBe(before);
  });
});
