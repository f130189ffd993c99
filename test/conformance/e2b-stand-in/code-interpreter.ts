import type { ServerResponse } from 'node:http';
import type { Faults } from './faults.ts';
import type { ServiceEvent } from './interpreters.ts';
import type { StandInSandbox } from './sandbox.ts';

const keepaliveMs = 500;

/** What the service answers on port 49999 of a sandbox. */
export async function codeInterpreter(options: {
  sandbox: StandInSandbox;
  faults: Faults;
  method: string;
  path: string;
  body: Buffer;
  response: ServerResponse;
}): Promise<void> {
  const { sandbox, method, path, body, response } = options;
  const json = (value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (path === '/execute') return execute({ ...options, ...JSON.parse(body.toString('utf8')) });
  if (path === '/contexts' && method === 'POST') {
    const { language = 'python', cwd = '/' } = JSON.parse(body.toString('utf8')) as {
      language?: string;
      cwd?: string;
    };
    const { value, failed } = await sandbox.interpreters.ask({
      op: 'create',
      cwd,
      envs: sandbox.spec.envVars ?? {},
    });
    if (failed !== undefined) response.writeHead(500).end(failed);
    else {
      sandbox.contexts.add(String(value));
      json({ id: value, language, cwd });
    }
    return;
  }
  const [, id = '', action] = /^\/contexts\/([^/]+)(\/restart)?$/.exec(path) ?? [];
  const op = action === undefined ? 'remove' : 'restart';
  if (!sandbox.contexts.has(id)) {
    response.writeHead(404).end(`Context ${id} not found`);
    return;
  }
  if (op === 'remove') sandbox.contexts.delete(id);
  const { failed } = await sandbox.interpreters.ask({ op, context: id });
  if (failed !== undefined) response.writeHead(500).end(failed);
  else {
    sandbox.hung.delete(id);
    json(null);
  }
}

async function execute(options: {
  sandbox: StandInSandbox;
  faults: Faults;
  response: ServerResponse;
  code: string;
  context_id: string;
}): Promise<void> {
  const { sandbox, faults, response, code, context_id: context } = options;
  if (!sandbox.contexts.has(context)) {
    response.writeHead(404).end(`Context ${context} not found`);
    return;
  }
  const cut = faults.cutNext;
  faults.cutNext = null;
  let events = 0;
  let isOver = false;
  const write = (event: ServiceEvent) => {
    if (isOver || sandbox.state !== 'running') return;
    response.write(`${JSON.stringify(event)}\n`.replace(/[^\0-\x7f]/g, escaped));
    if (event.type !== 'keepalive') events++;
    if (cut === null || events < cut.afterEvents) return;
    isOver = true;
    if (cut.how === 'clean') response.end();
    else setTimeout(() => response.destroy(), 50);
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  const keepalive = setInterval(() => write({ type: 'keepalive' }), keepaliveMs);
  let running: number | null = null;
  response.on('close', () => {
    clearInterval(keepalive);
    if (isOver || sandbox.state !== 'running') return;
    isOver = true;
    if (faults.hangsAfterAbort) sandbox.hung.add(context);
    if (running !== null) void sandbox.interpreters.ask({ op: 'abort', context, aborted: running });
  });
  if (sandbox.hung.has(context)) return;
  const { request, answer } = sandbox.interpreters.begin({ op: 'execute', context, code }, write);
  running = request;
  await answer;
  if (isOver || sandbox.state !== 'running') return;
  isOver = true;
  response.end('{"type": "end_of_execution"}\n');
}

/** The service escapes what is not ASCII, which alone keeps the SDK from cutting characters in two. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
