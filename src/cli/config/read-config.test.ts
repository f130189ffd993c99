import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { readProjectConfig, readUserConfig } from './index.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'assay-config-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function folder(files: Record<string, string>): string {
  folders += 1;
  const dir = path.join(root, String(folders));
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text);
  return dir;
}

const read = (dir: string) =>
  readProjectConfig({ dir, strict: inject('holdsEveryLimit'), signal: new AbortController().signal });

async function refusalOf(files: Record<string, string>): Promise<AssayError> {
  try {
    await read(folder(files));
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const json = (value: unknown) => ({ 'assay.config.json': JSON.stringify(value) });

describe('a project without a configuration', () => {
  it('sets nothing', async () => {
    expect(await read(folder({}))).toEqual({});
  });
});

describe('assay.config.json', () => {
  it('gives its fields', async () => {
    const config = {
      model: 'search,anthropic/claude-sonnet-4-5',
      rounds: 3,
      maxCost: 0.5,
      prices: { 'openai-compatible/x': { input: 0, output: 0 } },
      protect: ['**/golden/**'],
      patchTransport: 'text',
    };
    expect(await read(folder(json(config)))).toEqual(config);
  });

  it.each<[string, unknown, RegExp]>([
    ['a text for a number', { rounds: 'many' }, /rounds: .*number/],
    ['no rounds', { rounds: 0 }, /rounds: /],
    ['a field nobody knows', { colour: 1 }, /colour: no such field/],
    ['a price without an output', { prices: { 'a/b': { input: 1 } } }, /prices\.a\/b\.output: /],
    [
      'a price with a field nobody knows',
      { prices: { 'a/b': { input: 1, output: 1, per: 1 } } },
      /per: no such field in prices/,
    ],
    ['an unknown framework', { framework: 'rspec' }, /framework: /],
    ['a list', [], /the file: .*object/],
  ])('with %s is refused by the name of the field', async (_, value, because) => {
    const error = await refusalOf(json(value));
    expect(error).toMatchObject({ code: 'usage', because: expect.stringMatching(because) });
    expect(error.fix).toContain('maxCost');
  });

  it.each([
    ['baseUrl', 'http://evil.example', /send your source and your key/],
    ['write', true, /for you to say/],
    ['strict', false, /lower what the sandbox/],
    ['trustCollected', true, /what counts as proof/],
    ['apiKey', 'sk-x', /in a repository/],
  ])('may not set %s', async (name, value, because) => {
    expect(await refusalOf(json({ [name]: value }))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`may not set ${name}`),
      because: expect.stringMatching(because),
    });
  });

  it.each([
    ['no JSON', '{"rounds": 3', /is not JSON/],
    ['a text of no encoding', '\ud800', /is not JSON/],
    ['over its size', `{"model": "${'x'.repeat(300_000)}"}`, /cannot be read/],
  ])('that is %s is refused', async (_, text, message) => {
    expect((await refusalOf({ 'assay.config.json': text })).message).toMatch(message);
  });

  it('is not read through a link, and not waited for', async () => {
    const secret = path.join(root, 'secret.json');
    writeFileSync(secret, '{"my-secret": 1}');
    const linked = folder({});
    symlinkSync(secret, path.join(linked, 'assay.config.json'));
    const piped = folder({});
    execFileSync('mkfifo', [path.join(piped, 'assay.config.json')]);
    for (const dir of [linked, piped]) {
      const error = await read(dir).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('cannot be read') });
      expect(JSON.stringify(error)).not.toContain('my-secret');
    }
  });
});

describe('assay.config.ts', () => {
  const ts = (text: string) => ({ 'assay.config.ts': text });

  it('gives its default export, types and computed values included, whatever it prints', async () => {
    const config = await read(
      folder(
        ts(`import type { Config } from 'assay';
const rounds: number = 2 + 1;
console.log('{"rounds": 99}');
export default { rounds, protect: ['a', 'b'].map((name) => name + '/**') } satisfies Config;
`),
      ),
    );
    expect(config).toEqual({ rounds: 3, protect: ['a/**', 'b/**'] });
  });

  it('runs without network, the environment and the files of the user, and the project', async () => {
    const mark = path.join(root, 'mark');
    const dir = folder({
      ...ts(`import fs from 'node:fs';
import net from 'node:net';
const attempts: string[] = [];
const attempt = (name: string, act: () => unknown) => {
  try { act(); attempts.push(name + ':ok'); } catch { attempts.push(name + ':refused'); }
};
attempt('write', () => fs.writeFileSync(${JSON.stringify(mark)}, 'x'));
attempt('read', () => fs.readFileSync('/etc/shadow'));
attempt('tmp', () => fs.writeFileSync('/tmp/x', 'x'));
attempt('project', () => fs.readFileSync(${JSON.stringify(path.join(root, 'secret.txt'))}));
attempts.push('key:' + (process.env.OPENAI_API_KEY ?? 'absent'));
await new Promise<void>((done) => {
  const socket = net.connect(53, '1.1.1.1');
  socket.on('error', () => { attempts.push('net:refused'); done(); });
  socket.on('connect', () => { attempts.push('net:ok'); done(); });
});
export default { protect: attempts };
`),
    });
    writeFileSync(path.join(root, 'secret.txt'), 'x');
    process.env.OPENAI_API_KEY = 'sk-planted';
    try {
      expect(await read(dir)).toEqual({
        protect: ['write:refused', 'read:refused', 'tmp:ok', 'project:refused', 'key:absent', 'net:refused'],
      });
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
    expect(readdirSync(root)).not.toContain('mark');
  });

  it('may set no more than the JSON may', async () => {
    expect(await refusalOf(ts('export default { baseUrl: "http://evil.example" };'))).toMatchObject({
      message: expect.stringContaining('may not set baseUrl'),
    });
  });

  it.each([
    ['that throws', 'throw new Error("no luck");', /cannot be read/, /no luck/],
    ['that is no TypeScript', 'export default {', /cannot be read/, /SyntaxError/],
    ['that imports the project', 'import "./other.ts";', /cannot be read/, /other\.ts/],
    ['that exports nothing', 'export const rounds = 3;', /no default export that is JSON/, /exports nothing/],
    ['that exports a function', 'export default () => ({});', /no default export that is JSON/, /function/],
    ['that ends the process', 'process.exit(0);', /no default export that is JSON/, /exports nothing/],
    [
      'that fills the channel',
      'export default { model: "x".repeat(1e6) };',
      /cannot be read/,
      /output limit/,
    ],
  ])('%s is refused', async (_, text, message, because) => {
    expect(await refusalOf(ts(text))).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
      because: expect.stringMatching(because),
    });
  });

  it('that does not end is ended', async () => {
    expect((await refusalOf(ts('for (;;);'))).because).toContain('within 10 seconds');
  });

  it('beside an assay.config.json is refused', async () => {
    expect((await refusalOf({ ...json({}), ...ts('export default {};') })).message).toContain('has both');
  });

  it('stays out of assay itself', async () => {
    await read(folder(ts('(globalThis as any).planted = 1; export default {};')));
    expect(globalThis).not.toHaveProperty('planted');
  });
});

describe("the user's own configuration", () => {
  it('may set a base URL, and stands in the XDG configuration folder', () => {
    const base = folder({});
    mkdirSync(path.join(base, 'assay'));
    writeFileSync(path.join(base, 'assay/config.json'), '{"baseUrl": "http://127.0.0.1:1/v1", "maxCost": 2}');
    expect(readUserConfig({ XDG_CONFIG_HOME: base })).toEqual({
      baseUrl: 'http://127.0.0.1:1/v1',
      maxCost: 2,
    });
    expect(readUserConfig({ XDG_CONFIG_HOME: 'relative', HOME: base })).toEqual({});
    // A home that is none.
    expect(readUserConfig({ HOME: '/etc/passwd' })).toEqual({});
  });
});
