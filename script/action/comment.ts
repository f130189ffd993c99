/** Comments on the pull request by GitHub's REST interface; see `script/action/comment`. */
import { commentOf, mark } from './comment-text.ts';
import { readResult } from './result.ts';

const need = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};

const api = process.env.GITHUB_API_URL ?? 'https://api.github.com';
const issues = `${api}/repos/${need('GITHUB_REPOSITORY')}/issues`;
const token = need('TOKEN');

async function call<T>(method: 'GET' | 'POST' | 'PATCH', url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (response.ok) return (await response.json()) as T;
  const fix = response.status === 403 ? '; give the job `permissions: pull-requests: write`' : '';
  throw new Error(`GitHub answered ${response.status} to ${method} ${new URL(url).pathname}${fix}`);
}

type Comment = { id: number; body?: string; user?: { login: string; type: string } | null };

/** The name that the token comments under: a job's own token is that of the actions bot, and may not ask. */
async function ownName(): Promise<string> {
  try {
    return (await call<{ login: string }>('GET', `${api}/user`)).login;
  } catch {
    return 'github-actions[bot]';
  }
}

/**
 * The comment of an earlier run, among the first thousand. Whoever wrote a comment can change it later, so another's with
 * the same mark does not count.
 */
async function earlier(number: string): Promise<Comment | null> {
  const own = await ownName();
  for (let page = 1; page <= 10; page++) {
    const url = `${issues}/${number}/comments?per_page=100&page=${page}`;
    const comments = await call<Comment[]>('GET', url);
    const found = comments.find(({ body, user }) => user?.login === own && body?.startsWith(mark));
    if (found !== undefined) return found;
    if (comments.length < 100) return null;
  }
  return null;
}

try {
  const number = need('PULL_REQUEST');
  const body = commentOf(readResult(need('RESULT')), process.env.DIR || '.');
  const found = await earlier(number);
  if (found === null) await call('POST', `${issues}/${number}/comments`, { body });
  else await call('PATCH', `${issues}/comments/${found.id}`, { body });
} catch (error) {
  // A comment that cannot be made is no reason to hide the verdict, which the last step tells.
  const message = error instanceof Error ? error.message : String(error);
  process.stdout.write(`::warning title=assay::no comment was made: ${message.replaceAll('\n', ' ')}\n`);
}
