import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';

/** A failure as Connect tells it. */
export class ConnectFailure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** One answer to one question of `filesystem.Filesystem` (protobuf as JSON). */
export function filesystem(method: string, body: { path: string; depth?: number }): unknown {
  const { path: at, depth = 1 } = body;
  switch (method) {
    case 'ListDir':
      return { entries: listed(at, Number(depth)) };
    case 'Stat':
      return { entry: entryOf(at) };
    case 'MakeDir':
      if (fs.existsSync(at)) throw new ConnectFailure('already_exists', `${at} exists`, 409);
      fs.mkdirSync(at, { recursive: true });
      return { entry: entryOf(at) };
    case 'Remove':
      fs.rmSync(at, { recursive: true, force: true });
      return {};
    default:
      throw new ConnectFailure('unimplemented', method, 501);
  }
}

function listed(folder: string, depth: number): unknown[] {
  if (!fs.existsSync(folder)) throw new ConnectFailure('not_found', `${folder} does not exist`, 404);
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    const below = entry.isDirectory() && depth > 1 ? listed(at, depth - 1) : [];
    return [entryOf(at), ...below];
  });
}

function entryOf(at: string): unknown {
  const link = fs.lstatSync(at, { throwIfNoEntry: false });
  if (link === undefined) throw new ConnectFailure('not_found', `${at} does not exist`, 404);
  const stats = fs.statSync(at, { throwIfNoEntry: false }) ?? link;
  const type = stats.isDirectory() ? 'FILE_TYPE_DIRECTORY' : stats.isFile() ? 'FILE_TYPE_FILE' : undefined;
  return {
    name: path.basename(at),
    path: at,
    size: String(stats.size),
    mode: stats.mode & 0o7777,
    owner: 'user',
    group: 'user',
    modifiedTime: stats.mtime.toISOString(),
    ...(type === undefined ? {} : { type }),
    ...(link.isSymbolicLink() ? { symlinkTarget: fs.readlinkSync(at) } : {}),
  };
}

/** A message of a stream: a byte of flags, its length, and itself. */
export function envelope(message: unknown, flags = 0): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

const endOfStream = 2;

/** `process.Process/Start`: runs a command of this machine, and streams what it puts out. */
export function startProcess(body: Buffer, response: ServerResponse): void {
  const { process: wanted } = JSON.parse(body.subarray(5).toString('utf8')) as {
    process: { cmd: string; args?: string[]; cwd?: string };
  };
  const child = spawn(wanted.cmd, wanted.args ?? [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(wanted.cwd === undefined ? {} : { cwd: wanted.cwd }),
  });
  response.writeHead(200, { 'content-type': 'application/connect+json' });
  const send = (event: unknown) => response.write(envelope({ event }));
  send({ start: { pid: child.pid } });
  child.stdout.on('data', (data: Buffer) => send({ data: { stdout: data.toString('base64') } }));
  child.stderr.on('data', (data: Buffer) => send({ data: { stderr: data.toString('base64') } }));
  response.on('close', () => child.kill('SIGKILL'));
  child.on('close', (code) => {
    const exitCode = code ?? 137;
    send({ end: { exitCode, exited: true, status: `exit status ${exitCode}` } });
    response.end(envelope({}, endOfStream));
  });
}
