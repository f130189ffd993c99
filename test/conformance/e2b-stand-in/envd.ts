import * as fs from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import path from 'node:path';
import { ConnectFailure, filesystem, startProcess } from './connect.ts';
import type { Faults } from './faults.ts';
import type { StandInSandbox } from './sandbox.ts';

/** What the service answers on port 49983 of a sandbox. */
export async function envd(options: {
  sandbox: StandInSandbox;
  faults: Faults;
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: Buffer;
  response: ServerResponse;
}): Promise<void> {
  const { sandbox, faults, method, url, headers, body, response } = options;
  if (url.pathname === '/health') {
    response.writeHead(204).end();
    return;
  }
  if (url.pathname === '/files') {
    if (method === 'GET') download(url, response);
    else await upload(url, headers, body, response);
    return;
  }
  if (url.pathname === '/process.Process/Start') {
    if (faults.losesSignals && body.includes('kill -INT')) return;
    startProcess(body, response);
    return;
  }
  const rpc = /^\/filesystem\.Filesystem\/(\w+)$/.exec(url.pathname)?.[1];
  const json = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  try {
    const asked = JSON.parse(body.toString('utf8')) as { path: string };
    const answer = filesystem(rpc ?? '', asked);
    if (rpc === 'MakeDir') sandbox.own(asked.path);
    json(200, answer);
  } catch (error) {
    if (!(error instanceof ConnectFailure)) throw error;
    json(error.status, { code: error.code, message: error.message });
  }
}

function download(url: URL, response: ServerResponse): void {
  const at = url.searchParams.get('path') ?? '';
  const stats = fs.statSync(at, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 404, message: `path '${at}' does not exist` }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': stats.size });
  fs.createReadStream(at).pipe(response);
}

async function upload(
  url: URL,
  headers: IncomingHttpHeaders,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const written = [];
  for (const part of form.getAll('file')) {
    if (typeof part === 'string') continue;
    const at = url.searchParams.get('path') ?? part.name;
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.writeFileSync(at, new Uint8Array(await part.arrayBuffer()));
    written.push({ name: path.basename(at), path: at, type: 'file' });
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(written));
}
