import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProposer, createProposers, formatHeader, modelsOf, proposers } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-proposers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { ANTHROPIC_API_KEY: 'a-key', OPENAI_COMPATIBLE_API_KEY: 'another' };

describe('createProposer', () => {
  it('finds a replay relative to the working folder and keeps the id as given', async () => {
    writeFileSync(path.join(folder, 'fix.jsonl'), formatHeader({ by: 'hand-written' }));
    expect((await createProposer('replay:fix.jsonl', { cwd: folder })).id).toBe('replay:fix.jsonl');
  });

  it('reads a recording of a model as that model', async () => {
    const recorded = { by: 'anthropic/claude-sonnet-4-5', at: '2026-11-30T00:00:00Z' };
    const header = JSON.stringify({ schema: 'assay-model-replay/1', recorded });
    writeFileSync(path.join(folder, 'model.jsonl'), `${header}\n`);
    expect((await createProposer('replay:model.jsonl', { cwd: folder })).id).toBe(
      'anthropic/claude-sonnet-4-5',
    );
  });

  it.each(['', 'magic', 'Replay:x', '__proto__', 'constructor'])("lists what exists for '%s'", async (id) => {
    const error = await createProposer(id, { cwd: folder }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'usage' });
    for (const { form } of proposers) expect(error).toHaveProperty('fix', expect.stringContaining(form));
  });

  it.each([
    ['acme/huge', /provider "acme"/],
    ['openai/gpt-4o', /OPENAI_API_KEY is not set/],
    ['anthropic/', /names no model/],
    ['openai-compatible/x', /needs the address/],
  ])('refuses %s, saying why', async (id, message) => {
    await expect(createProposer(id, { cwd: folder, env })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });
});

describe('a chain', () => {
  it('is made in its order', async () => {
    const made = await createProposers('search, anthropic/claude-sonnet-4-5', { cwd: folder, env });
    expect(made.map(({ id }) => id)).toEqual(['search', 'anthropic/claude-sonnet-4-5']);
    expect(modelsOf('search, replay:a/b.json,openai/o3')).toEqual(['openai/o3']);
  });

  it('asks at the base URL only the compatible server, if there is one', async () => {
    const model = {
      baseUrl: 'http://127.0.0.1:9/v1',
      transport: 'auto',
      prices: {},
      contextTokens: null,
      maxOutputTokens: 1_000,
    } as const;
    const receivers = async (chain: string) => {
      const found: string[] = [];
      const around = <M extends { receiver: string }>(made: M) => {
        found.push(made.receiver);
        return made;
      };
      await createProposers(chain, { cwd: folder, env, model, around });
      return found;
    };
    expect(await receivers('openai-compatible/x,anthropic/y')).toEqual(['127.0.0.1:9', 'anthropic']);
    expect(await receivers('anthropic/y')).toEqual(['127.0.0.1:9']);
  });
});
