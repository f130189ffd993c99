import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeInterpreter } from './code-interpreter.ts';
import { envd } from './envd.ts';
import { Faults } from './faults.ts';
import { type SandboxSpec, StandInSandbox } from './sandbox.ts';

const codePort = '49999';

export type Seen = { method: string; path: string; body: string };

/**
 * Answers on this machine what E2B answers: its control plane, and the two servers in each sandbox. Code runs in real
 * IPython kernels; folders are this machine's own. For the real SDK, told of it by `E2B_API_URL` and `E2B_SANDBOX_URL`.
 */
export class E2bStandIn {
  readonly #server: Server;
  readonly apiKey = `e2b_${'0123456789abcdef'.repeat(2)}01234567`;
  readonly faults = new Faults();
  /** All that came to the control plane and to sandboxes, but for the bytes of files. */
  readonly seen: Seen[] = [];
  readonly sandboxes = new Map<string, StandInSandbox>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<E2bStandIn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new E2bStandIn(server);
  }

  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { E2B_API_KEY: this.apiKey, E2B_API_URL: url, E2B_SANDBOX_URL: url };
  }

  /** The sandboxes that run. */
  get running(): StandInSandbox[] {
    return [...this.sandboxes.values()].filter(({ state }) => state === 'running');
  }

  async close(): Promise<void> {
    await Promise.all([...this.sandboxes.values()].map((sandbox) => sandbox.end()));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const method = request.method ?? 'GET';
    const body = await bodyOf(request);
    this.seen.push({
      method,
      path: url.pathname,
      body: url.pathname === '/files' ? '' : body.toString('utf8'),
    });
    const fault = this.faults.take(url.pathname);
    if (fault?.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: fault.status, message: 'on purpose' }));
      return;
    }
    try {
      const id = request.headers['e2b-sandbox-id'];
      if (id === undefined) await this.#controlPlane(method, url.pathname, request, body, response);
      else await this.#inSandbox(String(id), method, url, request, body, response);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }
  }

  async #controlPlane(
    method: string,
    path: string,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.headers['x-api-key'] !== this.apiKey) {
      json(401, { code: 401, message: 'Invalid API key' });
      return;
    }
    const asked = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>);
    if (method === 'POST' && path === '/v2/sandboxes') {
      const id = `sandbox${this.sandboxes.size + 1}`;
      const sandbox = new StandInSandbox(id, asked as SandboxSpec);
      this.sandboxes.set(id, sandbox);
      json(201, described(sandbox));
      return;
    }
    const [, id = '', action = ''] = /^(?:\/v2)?\/sandboxes\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined || sandbox.state === 'gone') {
      json(404, { code: 404, message: `sandbox ${id} was not found` });
      return;
    }
    if (action === 'connect') {
      if (sandbox.resumes) sandbox.state = 'running';
      sandbox.setLifetime(Number(asked.timeout ?? 300));
      json(200, described(sandbox));
      return;
    }
    if (action === 'timeout' && sandbox.state === 'running') sandbox.setLifetime(Number(asked.timeout));
    else if (action === 'timeout') return void json(404, { code: 404, message: 'the sandbox is paused' });
    if (action === 'pause') sandbox.pause();
    if (method === 'DELETE') await sandbox.end();
    response.writeHead(204).end();
  }

  async #inSandbox(
    id: string,
    method: string,
    url: URL,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined || sandbox.state !== 'running') {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ sandboxId: id, message: 'The sandbox was not found', code: 502 }));
      return;
    }
    const breakOff = () => response.destroy();
    sandbox.connections.add(breakOff);
    response.on('close', () => sandbox.connections.delete(breakOff));
    const { faults } = this;
    if (request.headers['e2b-sandbox-port'] === codePort)
      await codeInterpreter({ sandbox, faults, method, path: url.pathname, body, response });
    else await envd({ sandbox, faults, method, url, headers: request.headers, body, response });
  }
}

function described({ id, spec }: StandInSandbox): unknown {
  return {
    sandboxID: id,
    templateID: spec.templateID,
    clientID: 'stand-in',
    envdVersion: '0.6.4',
    envdAccessToken: `token-of-${id}`,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
