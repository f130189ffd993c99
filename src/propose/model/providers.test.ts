import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { type CreateModelOptions, createModel } from './providers.ts';

const env = { OPENAI_API_KEY: 'k1', ANTHROPIC_API_KEY: 'k2', GEMINI_API_KEY: 'k3' };

function refused(options: Partial<CreateModelOptions>): AssayError {
  try {
    createModel({ id: 'openai-compatible/q', env: {}, ...options });
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('createModel', () => {
  it('knows who gets the source', () => {
    expect(createModel({ id: 'openai/gpt', env }).receiver).toBe('openai');
    expect(createModel({ id: 'anthropic/claude', env }).receiver).toBe('anthropic');
    expect(createModel({ id: 'google/gemini', env }).receiver).toBe('google');
    const baseUrl = 'http://localhost:11434/v1/';
    expect(createModel({ id: 'openai-compatible/q', baseUrl, env }).receiver).toBe('localhost:11434');
    expect(createModel({ id: 'openai/gpt', baseUrl: 'https://proxy.example/v1', env }).receiver).toBe(
      'proxy.example',
    );
  });

  it('takes a name with slashes, and the base URL from ASSAY_BASE_URL', () => {
    const model = createModel({
      id: 'openai-compatible/qwen/qwen3',
      env: { ASSAY_BASE_URL: ' http://[::1]:8000/v1 ' },
    });
    expect(model).toMatchObject({ id: 'openai-compatible/qwen/qwen3', receiver: '[::1]:8000' });
  });

  it('lets ASSAY_BASE_URL lead no other provider to another host', () => {
    const model = createModel({
      id: 'anthropic/claude',
      env: { ...env, ASSAY_BASE_URL: 'http://localhost:1/v1' },
    });
    expect(model.receiver).toBe('anthropic');
  });

  it('names the providers where one is unknown', () => {
    for (const id of ['mistral/large', 'gpt-4', '', '/x', 'OpenAI/gpt']) {
      const error = refused({ id });
      expect(error.code).toBe('usage');
      expect(error.because).toContain('openai, anthropic, google, openai-compatible');
    }
  });

  it('wants the name of a model', () => {
    for (const id of ['openai', 'openai/', 'google/  '])
      expect(refused({ id, env }).message).toContain('no model');
  });

  it.each([`openai/${'x'.repeat(200_000)}`, 'openai/a\n::error ::b', 'openai/\x1b]0;x', 'openai/a\u2028b'])(
    'refuses an id that is too long or not of one line',
    (id) => {
      const error = refused({ id, env });
      expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('no id of a model') });
      expect(JSON.stringify(error)).not.toMatch(/x{100}/);
      expect(error.message).not.toContain('\n');
    },
  );

  it.each(['abcd\nefgh', 'abcd\r\nX-Evil: 1', 'schlüssel-\u0431', 'sk-\u201cquoted\u201d', 'a\0b'])(
    'names the variable of a key that no header can hold: %j',
    (key) => {
      const error = refused({ id: 'openai/gpt', env: { OPENAI_API_KEY: key } });
      expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('OPENAI_API_KEY') });
      expect(JSON.stringify([error.message, error.because, error.fix])).not.toContain(key.slice(0, 3));
    },
  );

  it('takes a key with a line break behind it', () => {
    expect(createModel({ id: 'openai/gpt', env: { OPENAI_API_KEY: 'abcd\n' } }).receiver).toBe('openai');
  });

  it('names the variable of a key that is missing or empty', () => {
    expect(refused({ id: 'openai/gpt' }).message).toContain('OPENAI_API_KEY');
    expect(refused({ id: 'anthropic/c', env: { ANTHROPIC_API_KEY: '  ' } }).fix).toContain(
      'ANTHROPIC_API_KEY',
    );
    expect(refused({ id: 'google/g' }).fix).toContain('GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY');
  });

  it('wants a base URL for a server of one’s own', () => {
    expect(refused({}).fix).toContain('--base-url');
  });

  it.each([
    'localhost:11434',
    'ftp://x/v1',
    'nonsense',
    'http://',
    'http://u:secret@host/v1',
    'http://h/v1?key=secret',
    'http://h/v1#x',
  ])('refuses the base URL %s, without repeating what may be a secret in it', (baseUrl) => {
    const error = refused({ baseUrl });
    expect(error.code).toBe('usage');
    expect(`${error.message} ${error.because} ${error.fix}`).not.toContain('secret');
  });

  it('loads no package of a provider, so that a run with the search starts as quickly as without', () => {
    const door = path.join(import.meta.dirname, 'index.ts');
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve: (name, context, next) => { seen.push(name); return next(name, context); } });
      const { createModel } = await import(${JSON.stringify(door)});
      createModel({ id: 'openai/gpt', env: { OPENAI_API_KEY: 'k' } });
      console.log(JSON.stringify(seen.filter((name) => name === 'zod' || /ai-sdk|^ai$/.test(name))));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(new Set(JSON.parse(stdout))).toEqual(new Set(['zod']));
  });
});
