import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, runAction } from './runner.ts';

type Seen = { method: string; url: string; token: string; body: string };

/** GitHub's comments of one pull request, kept in memory. */
class GitHub {
  readonly seen: Seen[] = [];
  readonly comments: { id: number; body: string; user: { login: string } }[] = [
    { id: 1, body: 'Nice work!', user: { login: 'someone' } },
    { id: 2, body: '<!-- assay fix --> mine, to be changed later', user: { login: 'attacker' } },
  ];
  readonly #server: Server;
  refuses = false;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { status, answer } = await this.#answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; answer: unknown }> {
    const { method = '', url = '' } = request;
    const body = await text(request);
    this.seen.push({ method, url, token: request.headers.authorization ?? '', body });
    if (this.refuses) return { status: 403, answer: { message: 'Resource not accessible by integration' } };
    if (url.endsWith('/user')) return { status: 403, answer: { message: 'Resource not accessible' } };
    if (method === 'GET') return { status: 200, answer: this.comments };
    const comment = JSON.parse(body) as { body: string };
    if (method === 'PATCH') {
      const found = this.comments.find(({ id }) => url.endsWith(`/comments/${id}`));
      if (found !== undefined) found.body = comment.body;
      return { status: 200, answer: found };
    }
    const user = { login: 'github-actions[bot]' };
    const made = { id: this.comments.length + 1, body: comment.body, user };
    this.comments.push(made);
    return { status: 201, answer: made };
  }
}

describe('the GitHub action', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-action-'));
  const github = new GitHub();
  let api = '';

  beforeAll(async () => {
    api = await github.start();
    cpSync(path.join(root, 'examples'), path.join(folder, 'checkout'), { recursive: true });
  });
  afterAll(() => {
    github.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (inputs: Record<string, string>) =>
    runAction({
      inputs,
      context: { token: 'made-up-token', 'event.pull_request.number': '7' },
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        // What a machine needs to reach its package registry, where it needs something.
        ...Object.fromEntries(
          Object.entries(process.env).flatMap(([name, value]) =>
            /^(NODE_EXTRA_CA_CERTS|PIP_|npm_config_|SSL_CERT)/i.test(name) && value !== undefined
              ? [[name, value]]
              : [],
          ),
        ),
        GITHUB_API_URL: api,
        GITHUB_REPOSITORY: 'someone/something',
        GITHUB_WORKSPACE: path.join(folder, 'checkout'),
      },
      temp: path.join(folder, 'temp'),
    });

  it('proposes the patch in a comment, writes the same comment anew, and leaves the checkout alone', async () => {
    const source = path.join(folder, 'checkout/python-invoice/invoicing/discounts.py');
    const before = readFileSync(source, 'utf8');
    const { steps, outputs } = await run({ dir: 'python-invoice' });
    expect(steps.map(({ name, code }) => [name, code])).toEqual([
      ['Set up', 0],
      ['Fix', 0],
      ['Comment', 0],
      ['Verdict', 0],
    ]);
    expect(outputs).toMatchObject({ status: 'done', 'exit-code': '0' });
    expect(readFileSync(outputs.patch ?? '', 'utf8')).toContain('+        if quantity >= minimum:');
    expect(JSON.parse(readFileSync(outputs.result ?? '', 'utf8'))).toMatchObject({ status: 'done' });
    expect(readFileSync(source, 'utf8')).toBe(before);
    const comment = github.comments[2];
    expect(comment?.body).toContain('```diff\ndiff --git a/invoicing/discounts.py');
    expect(github.seen.every(({ token }) => token === 'Bearer made-up-token')).toBe(true);
    expect(github.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
    expect(github.comments[1]?.body).toContain('mine');

    const again = await run({ dir: 'typescript-meetings' });
    expect(again.outputs).toMatchObject({ status: 'stuck', 'exit-code': '3' });
    expect(again.steps.at(-1)).toMatchObject({ name: 'Verdict', code: 3 });
    expect(github.comments).toHaveLength(3);
    expect(github.comments[2]?.body).toContain('### assay: stuck');
    expect(github.comments[1]?.body).toContain('mine');
  });

  it('takes options word by word, never as shell text, and fails with what is wrong with them', async () => {
    const planted = path.join(folder, 'planted');
    const { steps, outputs } = await run({
      dir: 'python-invoice',
      model: `search"; touch ${planted}; "`,
      options: `--rounds\n1; touch ${planted}`,
      comment: 'false',
    });
    expect(steps.map(({ name }) => name)).toEqual(['Set up', 'Fix', 'Verdict']);
    expect(outputs).toMatchObject({ status: 'error', 'exit-code': '2', patch: expect.any(String) });
    expect(() => readFileSync(planted)).toThrow('ENOENT');
  });

  it('leaves its outputs also where assay prints no result', async () => {
    const { outputs } = await run({
      dir: 'python-invoice',
      options: '--help',
      comment: 'false',
      fail: 'false',
    });
    expect(outputs).toMatchObject({ status: 'error', 'exit-code': '1' });
  });

  it('tells the verdict although no comment can be made', async () => {
    github.refuses = true;
    const { steps } = await run({ dir: 'typescript-meetings', fail: 'false' });
    github.refuses = false;
    const comment = steps.find(({ name }) => name === 'Comment');
    expect(comment).toMatchObject({ code: 0, stdout: expect.stringContaining('::warning title=assay::') });
    expect(comment?.stdout).toContain('pull-requests: write');
    expect(comment?.stdout).not.toContain('made-up-token');
    expect(steps.some(({ name }) => name === 'Verdict')).toBe(false);
  });
});
