import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Kernel, type OpenE2bOptions, openE2bKernel } from '../../src/kernel/index.ts';
import { printed, ran, shownValue, started } from './checks.ts';
import type { StandInSandbox } from './e2b-stand-in/sandbox.ts';
import { E2bStandIn } from './e2b-stand-in/stand-in.ts';

let service: E2bStandIn;
const kernels: Kernel[] = [];
const folders: string[] = [];

beforeAll(async () => {
  service = await E2bStandIn.start();
});
afterEach(async () => {
  await Promise.all(kernels.splice(0).map((kernel) => kernel.close()));
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
  expect(service.running).toEqual([]);
});
afterAll(() => service.close());

async function open(options: Partial<OpenE2bOptions> = {}): Promise<Kernel> {
  const kernel = await openE2bKernel({
    env: service.env,
    remoteFolder: path.join(tmpdir(), `assay-e2b-remote-${randomUUID()}`),
    interruptGraceMs: 1500,
    probeMs: 1500,
    ...options,
  });
  kernels.push(kernel);
  return kernel;
}

function onlySandbox(): StandInSandbox {
  const [sandbox] = service.running;
  if (sandbox === undefined) throw new Error('no sandbox runs');
  return sandbox;
}

function ownFolder(): string {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'assay-e2b-local-'));
  folders.push(folder);
  return folder;
}

const text = async (kernel: Kernel, file: string) =>
  Buffer.from((await kernel.files.read(file)) ?? []).toString('utf8');

describe('opening a kernel at E2B', () => {
  it('asks for a key', async () => {
    await expect(open({ env: {} })).rejects.toMatchObject({
      code: 'usage',
      because: 'E2B_API_KEY is not set',
    });
  });

  it('says that a key is refused, without the key', async () => {
    const error = await open({ env: { ...service.env, E2B_API_KEY: 'e2b_wrong' } }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'usage', fix: 'Check E2B_API_KEY' });
    expect(JSON.stringify(error)).not.toContain('e2b_wrong');
    expect(String(error)).not.toContain('e2b_wrong');
  });

  it('closes the network unless it is told otherwise, and has the sandbox end by itself', async () => {
    const created = () => service.seen.findLast(({ path: asked }) => asked === '/v2/sandboxes')?.body ?? '';
    await (await open({ lifetimeMs: 120_000 })).close();
    expect(JSON.parse(created())).toMatchObject({
      templateID: 'code-interpreter-v1',
      allow_internet_access: false,
      timeout: 120,
      autoPause: false,
    });
    await (await open({ network: true, onExpiry: 'pause', template: 'own' })).close();
    expect(JSON.parse(created())).toMatchObject({
      templateID: 'own',
      allow_internet_access: true,
      autoPause: true,
    });
  });

  it('sends the local folder and what is shown, fetches what cells write, and leaves it there', async () => {
    const folder = ownFolder();
    const shown = ownFolder();
    fs.mkdirSync(path.join(folder, 'in'));
    fs.writeFileSync(path.join(folder, 'in/a.txt'), 'a');
    fs.writeFileSync(path.join(shown, 'b.txt'), 'b');
    const kernel = await open({ folder, readOnly: [{ source: shown, path: 'data' }] });
    expect(await shownValue(kernel, 'open("in/a.txt").read() + open("data/b.txt").read()')).toBe("'ab'");
    await ran(
      kernel,
      'import os\nos.makedirs("out")\n_ = open("out/c.txt", "w").write("c")\nos.remove("in/a.txt")',
    );
    expect((await kernel.files.list()).map((file) => file.path)).toEqual(['out/c.txt']);
    await kernel.close();
    expect(fs.readFileSync(path.join(folder, 'out/c.txt'), 'utf8')).toBe('c');
    expect(
      fs.readdirSync(path.dirname(folder)).filter((name) => name.startsWith(path.basename(folder))),
    ).toEqual([path.basename(folder)]);
  });

  it('leaves no sandbox behind where one comes up without an interpreter', async () => {
    service.faults.answerNext(/^\/contexts$/, { status: 500 });
    await expect(open()).rejects.toMatchObject({
      code: 'environment',
      because: expect.stringContaining('500'),
    });
    expect(service.running).toEqual([]);
  });

  it('gives up on a service that does not answer', async () => {
    service.faults.answerNext(/^\/v2\/sandboxes$/, { delayMs: 3000, status: 503 });
    await expect(open({ requestMs: 500 })).rejects.toMatchObject({ code: 'environment' });
  });

  it('waits for one that is slow', async () => {
    service.faults.answerNext(/^\/v2\/sandboxes$/, { delayMs: 1000 });
    const kernel = await open();
    service.faults.answerNext(/^\/execute$/, { delayMs: 1000 });
    expect(await shownValue(kernel, '1 + 1')).toBe('2');
  });
});

describe('a sandbox that is gone', () => {
  it('between cells is made anew, with the variables and files, and that is said', async () => {
    const kernel = await open();
    await kernel.files.write('given.txt', Buffer.from('given'));
    await ran(kernel, 'x = [1]\nopen("log.txt", "a").write("once\\n")');
    await ran(kernel, 'x.append(open("given.txt").read())');
    await kernel.execute('raise ValueError("no")');
    await onlySandbox().end();
    const { outputs, warnings, end } = await kernel.execute('x');
    expect(end).toEqual({ status: 'ok' });
    expect(outputs).toMatchObject([{ data: { 'text/plain': "[1, 'given']" } }]);
    expect(warnings.join()).toMatch(
      /sandbox was gone \(The sandbox was not found\).*3 earlier cells were run again/,
    );
    expect(await text(kernel, 'log.txt')).toBe('once\n');
    expect((await ran(kernel, '1')).warnings).toEqual([]);
  });

  it('while a cell runs ends it, keeps what it has put out, and gives the next cell what was before', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1');
    const { onOutput, isRunning } = started();
    const cell = kernel.execute('x = 2\nprint("seen", flush=True)\nwhile True: pass', { onOutput });
    await isRunning;
    await onlySandbox().end();
    const result = await cell;
    expect(result.end).toMatchObject({
      status: 'unavailable',
      fix: expect.stringContaining('Run the cell again'),
    });
    expect(printed(result)).toBe('seen\n');
    expect(await shownValue(kernel, 'x')).toBe('1');
  });

  it('without a word is missed when its lifetime is to be extended', async () => {
    const kernel = await open({ lifetimeMs: 3000 });
    await ran(kernel, 'x = 1');
    const { onOutput, isRunning } = started();
    const cell = kernel.execute('print("seen", flush=True)\nwhile True: pass', {
      onOutput,
      deadlineMs: 50_000,
    });
    await isRunning;
    await onlySandbox().end({ silently: true });
    expect((await cell).end.status).toBe('unavailable');
    expect(await shownValue(kernel, 'x')).toBe('1');
  });

  it('is not one that the code may be blamed for, nor one that is made anew for ever', async () => {
    const kernel = await open();
    await onlySandbox().end();
    service.faults.answerNext(/^\/v2\/sandboxes$/, { status: 500, times: 2 });
    expect((await kernel.execute('1')).end).toMatchObject({ status: 'unavailable' });
    expect((await kernel.execute('2')).end).toMatchObject({ status: 'unavailable' });
    expect(await shownValue(kernel, '3')).toBe('3');
  });

  it('says which cells went otherwise when they were run again, and keeps the files it has told of', async () => {
    const kernel = await open();
    await ran(
      kernel,
      'import uuid\nname = str(uuid.uuid4())\nopen("name.txt", "w").write(name)\nprint(name)',
    );
    const before = await text(kernel, 'name.txt');
    await onlySandbox().end();
    const { warnings } = await ran(kernel, '1');
    expect(warnings.join()).toContain('1 of these was not as the first time');
    expect(await text(kernel, 'name.txt')).toBe(before);
  });

  it('is not filled again with what was before a restart', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1\nopen("kept.txt", "w").write("1")');
    await kernel.restart();
    await ran(kernel, 'y = 2');
    await onlySandbox().end();
    expect(await shownValue(kernel, '("x" in globals(), y, open("kept.txt").read())')).toBe(
      "(False, 2, '1')",
    );
  });

  it('may only be paused: it is come back to, and files that the pause has lost are sent again', async () => {
    const remoteFolder = path.join(tmpdir(), `assay-e2b-remote-${randomUUID()}`);
    const kernel = await open({ onExpiry: 'pause', remoteFolder });
    await ran(kernel, 'import os\nx = os.getpid()\nopen("a.txt", "w").write("a")');
    const pid = await shownValue(kernel, 'x');
    const sandbox = onlySandbox();
    sandbox.pause();
    fs.rmSync(path.join(remoteFolder, 'a.txt'));
    expect(await shownValue(kernel, '(os.getpid(), open("a.txt").read())')).toBe(`(${pid}, 'a')`);
    expect(sandbox.state).toBe('running');
    sandbox.pause();
    sandbox.resumes = false;
    expect((await ran(kernel, 'x')).warnings.join()).toContain('3 earlier cells were run again');
  });
});

describe('a lifetime', () => {
  it('is extended while a cell runs and while none does', async () => {
    const kernel = await open({ lifetimeMs: 3000 });
    const sandbox = onlySandbox();
    await ran(kernel, 'import time; time.sleep(5)');
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await ran(kernel, '1');
    expect(sandbox.state).toBe('running');
    const asked = service.seen.filter(({ path: at }) => at === `/sandboxes/${sandbox.id}/timeout`);
    expect(asked.length).toBeGreaterThan(3);
  });
});

describe('a connection that breaks', () => {
  it('before the cell was taken is no error of the code', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1');
    service.faults.answerNext(/^\/execute$/, { status: 502 });
    expect((await kernel.execute('x')).end).toMatchObject({ status: 'unavailable' });
    const { outputs, warnings } = await ran(kernel, 'x');
    expect(outputs).toMatchObject([{ data: { 'text/plain': '1' } }]);
    expect(warnings).toEqual([]);
  });

  it.each(['connection', 'clean'] as const)(
    'in the middle of a cell (%s) is told, and state is kept',
    async (how) => {
      const kernel = await open();
      await ran(kernel, 'x = 1');
      service.faults.cutNext = { afterEvents: 2, how };
      const result = await kernel.execute(
        'print("seen", flush=True)\nimport time\ntime.sleep(1)\nprint("not seen")',
      );
      expect(result.end).toMatchObject({ status: 'unavailable' });
      expect(printed(result)).toBe('seen\n');
      expect(await shownValue(kernel, 'x')).toBe('1');
    },
  );
});

describe('an interpreter that is gone', () => {
  it('is made anew, and that all variables are gone is said', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1\nopen("kept.txt", "w").write("1")');
    onlySandbox().contexts.clear();
    const { end, warnings } = await kernel.execute('x');
    expect(end).toMatchObject({ status: 'error', ename: 'NameError' });
    expect(warnings.join()).toContain('all variables are gone');
    expect(await shownValue(kernel, 'open("kept.txt").read()')).toBe("'1'");
  });
});

describe('a deadline where the signal does not reach the interpreter', () => {
  afterEach(() => {
    service.faults.losesSignals = false;
    service.faults.hangsAfterAbort = false;
  });

  it('has the service interrupt the cell, and keeps state where the interpreter answers a probe', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1');
    service.faults.losesSignals = true;
    const { end } = await kernel.execute('while True: pass', { deadlineMs: 500 });
    expect(end).toEqual({ status: 'timeout', deadlineMs: 500, stateLost: false });
    expect(await shownValue(kernel, 'x')).toBe('1');
  });

  it('starts the interpreter anew where the next execution would hang, and says so', async () => {
    const kernel = await open();
    await ran(kernel, 'x = 1');
    service.faults.losesSignals = true;
    service.faults.hangsAfterAbort = true;
    const { end } = await kernel.execute('while True: pass', { deadlineMs: 500 });
    expect(end).toEqual({ status: 'timeout', deadlineMs: 500, stateLost: true });
    expect((await kernel.execute('x')).end).toMatchObject({ status: 'error', ename: 'NameError' });
    expect(await shownValue(kernel, '1 + 1')).toBe('2');
  });
});

it('tells the key to the service alone', async () => {
  const kernel = await open();
  const result = await ran(kernel, 'import os\nprint(dict(os.environ))');
  expect(printed(result)).not.toContain(service.apiKey);
  expect(JSON.stringify(service.seen)).not.toContain(service.apiKey);
});
