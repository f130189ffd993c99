import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrub, scrubValue, secretsIn } from './scrub.ts';

/** Assembled here, so that no scanner takes this file for a leak. */
const random = (length: number, alphabet = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7c') =>
  Array.from({ length }, (_, index) => alphabet[(index * 7 + 3) % alphabet.length]).join('');
const hex = (length: number) => random(length, '0123456789abcdef');
const pem = (kind: string) =>
  [`-----BEGIN ${kind}-----`, ...Array.from({ length: 6 }, () => random(64)), `-----END ${kind}-----`].join(
    '\n',
  );

const tokens: [string, string][] = [
  ['api-key', `sk-${random(48)}`],
  ['api-key', `sk-proj-${random(60)}_${random(20)}`],
  ['api-key', `sk-ant-api03-${random(90)}-AA`],
  ['api-key', `sk-or-v1-${hex(64)}`],
  ['api-key', `gsk_${random(52)}`],
  ['api-key', `xai-${random(80)}`],
  ['api-key', `e2b_${hex(40)}`],
  ['github-token', `ghp_${random(36)}`],
  ['github-token', `ghs_${random(36)}`],
  ['github-token', `github_pat_${random(22)}_${random(59)}`],
  ['gitlab-token', `glpat-${random(20)}`],
  ['aws-key-id', `AKIA${random(16, 'ABCDEFGH234567')}`],
  ['slack-token', `xoxb-123456789012-123456789012-${random(24)}`],
  ['google-key', `AIza${random(35)}`],
  ['google-token', `ya29.${random(60)}`],
  ['stripe-key', `sk_live_${random(24)}`],
  ['npm-token', `npm_${random(36)}`],
  ['pypi-token', `pypi-AgEIcHlwaS5vcmcC${random(70)}`],
  ['huggingface-token', `hf_${random(34)}`],
  ['sendgrid-key', `SG.${random(22)}.${random(43)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJ${random(40)}.${random(43)}`],
  ['private-key', pem('PRIVATE KEY')],
  ['private-key', pem('RSA PRIVATE KEY')],
  ['private-key', pem('OPENSSH PRIVATE KEY')],
];

const inContext: [string, string, string][] = [
  ['authorization', `Authorization: Bearer ${random(30)}`, 'Authorization: Bearer [scrubbed:authorization]'],
  [
    'authorization',
    `"authorization": "Basic ${random(20)}=="`,
    '"authorization": "Basic [scrubbed:authorization]"',
  ],
  ['authorization', `-H 'Bearer ${random(30)}'`, `-H 'Bearer [scrubbed:authorization]'`],
  ['api-key', `x-api-key: ${random(32)}`, 'x-api-key: [scrubbed:api-key]'],
  ['aws-secret', `aws_secret_access_key = ${random(40)}`, 'aws_secret_access_key = [scrubbed:aws-secret]'],
  [
    'url-password',
    'postgres://app:hunter2!@db.example.com/x',
    'postgres://app:[scrubbed:url-password]@db.example.com/x',
  ],
  [
    'url-password',
    'https://oauth2:s3cr3t@git.example.com/a.git',
    'https://oauth2:[scrubbed:url-password]@git.example.com/a.git',
  ],
  [
    'slack-webhook',
    `https://hooks.slack.com/services/T00000000/B00000000/${random(24)}`,
    'https://hooks.slack.com/services/[scrubbed:slack-webhook]',
  ],
  [
    'npm-token',
    `//registry.npmjs.org/:_authToken=${hex(36)}`,
    '//registry.npmjs.org/:_authToken=[scrubbed:npm-token]',
  ],
  ['password', 'DB_PASSWORD=hunter2', 'DB_PASSWORD=[scrubbed:password]'],
  ['password', "POSTGRES_PASSWORD='c0rrect!horse'", "POSTGRES_PASSWORD='[scrubbed:password]'"],
  ['secret', `SESSION_SECRET=${random(24)}`, 'SESSION_SECRET=[scrubbed:secret]'],
  ['secret', `export DEPLOY_TOKEN="${hex(32)}"`, 'export DEPLOY_TOKEN="[scrubbed:secret]"'],
  ['secret', `SECRET_KEY = '${random(50)}'`, "SECRET_KEY = '[scrubbed:secret]'"],
  ['secret', `{"client_secret": "${random(32)}"}`, '{"client_secret": "[scrubbed:secret]"}'],
  ['secret', `apiKey: '${hex(32)}',`, "apiKey: '[scrubbed:secret]',"],
  ['azure-key', `AccountKey=${random(86)}==;Endpoint`, 'AccountKey=[scrubbed:azure-key];Endpoint'],
];

describe('scrub', () => {
  it.each(tokens)('takes out a %s', (name, token) => {
    for (const around of [
      ['', ''],
      ['key = "', '"'],
      ['(', ')\n'],
      ['{"k":"', '"}'],
      ['a=', '&b=1'],
      ['x: ', '.'],
    ]) {
      const clean = scrub(`before ${around[0]}${token}${around[1]} after`, []);
      expect(clean).toEqual({
        text: `before ${around[0]}[scrubbed:${name}]${around[1]} after`,
        found: [name],
      });
    }
  });

  it.each(inContext)('takes out the secret of a %s and keeps the rest', (name, text, expected) => {
    expect(scrub(`a ${text} b`, [])).toEqual({ text: `a ${expected} b`, found: [name] });
  });

  it('takes a private key out of a diff and out of a JSON string, and one that is cut off', () => {
    const key = pem('PRIVATE KEY');
    const diff = key.replaceAll(/^/gm, '+');
    expect(scrub(` a\n${diff}\n b`, []).text).toBe(' a\n+[scrubbed:private-key]\n b');
    expect(scrub(JSON.stringify({ key }), []).text).toBe('{"key":"[scrubbed:private-key]"}');
    expect(scrub(`a ${key.slice(0, 150)}`, []).text).toBe('a [scrubbed:private-key]');
  });

  it('takes out known values wherever they stand, the longest first', () => {
    const known = secretsIn({ A_TOKEN: 'abc-123-def', B_TOKEN: 'abc-123-def-456', C_SECRET: 'p&ss w/rd"1' });
    const text = `1 abc-123-def-456 2 abc-123-def 3 ${encodeURIComponent('p&ss w/rd"1')} 4 ${JSON.stringify('p&ss w/rd"1')}`;
    expect(scrub(text, known)).toEqual({
      text: '1 [scrubbed:B_TOKEN] 2 [scrubbed:A_TOKEN] 3 [scrubbed:C_SECRET] 4 "[scrubbed:C_SECRET]"',
      found: ['B_TOKEN', 'A_TOKEN', 'C_SECRET'],
    });
  });

  it('changes nothing more the second time', () => {
    const text = [...tokens.map(([, token]) => token), ...inContext.map(([, one]) => one)].join('\n');
    const once = scrub(text, []).text;
    expect(scrub(once, [])).toEqual({ text: once, found: [] });
  });

  it.each([
    'sk-circle-fade-dot-12-animation-delay',
    'const sk-learn = "scikit-learn"',
    'risk-assessment-of-2026-projects-abcdefghijklmnop',
    'Bearer of bad news: the authorization header is missing',
    'Authorization: Bearer <token>',
    `Authorization: Bearer ${'$'}{TOKEN}`,
    'raise ValueError("missing Authorization: Bearer")',
    '-----BEGIN PRIVATE KEY-----',
    'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"): return parse(line)',
    'http://localhost:3000/@scope/name',
    `postgres://user:${'$'}{PASSWORD}@host/db`,
    'https://user:password@example.org',
    'postgres://user:{password}@host/db',
    'git@github.com:owner/name.git',
    'ssh://git@host:22/x',
    'https://example.com:8080/a@b',
    'eyJhbGciOiJIUzI1NiJ9 alone',
    'a'.repeat(300),
    hex(64),
    '550e8400-e29b-41d4-a716-446655440000',
    'AKIATOOSHORT',
    'process.env.OPENAI_API_KEY ?? ""',
    'x-api-key: required in version 2',
    'npm_config_user_agent npm_package_version',
    'hf_hub_download(repo_id, filename)',
    'token = tokens[i + 1]; password: str = ""',
    'API_KEY = os.environ["OPENAI_API_KEY_2024"]',
    'API_KEY=os.environ["KEY1"]',
    'token = tokens[0]',
    'token=tokens[0]',
    'connect(user, password=None, token=token2)',
    'password: str = Field(min_length=12)',
    'const token = await getToken2(session1);',
    'TOKEN=$CI_JOB_TOKEN_1',
    `TOKEN=${'$'}{{ secrets.DEPLOY_KEY_1 }}`,
    'API_KEY=your-api-key-1',
    'PASSWORD=changeme1',
    'PASSWORD=<password1>',
    'MAX_TOKEN=4096 CACHE_KEY=user_v1_list',
    'PRIMARY_KEY=created_at',
    'client.login(username="bob", password="secret123")',
    'assert token == "abc123"',
    'token = "test-token-1234567890"',
    'token="refresh_token_v2_expired"',
    "secret: 'config/secrets/prod-2024.json'",
    "token: 'https://auth.example.com/oauth2/v1/token1'",
    'KEY=hunter',
    'if key == "a1": sort_key = "name:1"',
    'tokenizer.token = "IDENTIFIER"; kind = token.kind',
    'SECRET_KEY = config("SECRET_KEY_V2", default="")',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  ])('leaves ordinary text alone: %s', (text) => {
    expect(scrub(text, [])).toEqual({ text, found: [] });
  });

  it('leaves the code and pages of this very project alone', () => {
    const top = path.join(import.meta.dirname, '..', '..');
    const texts = ['src', 'script', 'docs']
      .flatMap((folder) => readdirSync(path.join(top, folder), { recursive: true, withFileTypes: true }))
      .filter(
        (entry) =>
          entry.isFile() &&
          /\.(ts|mjs|py|md|json)$/.test(entry.name) &&
          // Tests hold made-up keys on purpose.
          !/\.(test|fixture)\.ts$/.test(entry.name),
      )
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
    expect(texts.length > 20).toBe(true);
    for (const text of texts) expect(scrub(text, []).found).toEqual([]);
  });

  it('leaves any text without secrets alone', () => {
    const word = fc.constantFrom(
      ...'the return value sk key token secret password Bearer basic authorization api_key = : "x" AKIA eyJ ghp_ http:// @ -- BEGIN PRIVATE KEY END npm_ AIza xoxb- 42 0xff user:pass a.b.c {} [] () ; + /'.split(
        ' ',
      ),
      '\n',
      '-----',
    );
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (one) => {
        expect(scrub(one, secretsIn({ API_KEY: 'q7-Zx_not-in-here' })).text).toBe(one);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes time in proportion to the text, whatever it is made of', () => {
    const pieces = [
      'eyJ',
      'eyJa.',
      'sk-',
      'a',
      '://',
      'a:',
      'http://a:',
      '-----BEGIN PRIVATE KEY-----',
      'Bearer ',
      'x-api-key: ',
      '0',
      'SG.',
      'AccountKey=',
      'A_PASSWORD=',
      'KEY=a1',
      'token="',
      '_auth=',
      'A',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      const started = performance.now();
      scrub(text, []);
      // A bound against hangs: quadratic patterns take minutes here.
      expect(performance.now() - started < 10_000).toBe(true);
    }
  });
});

describe('secretsIn', () => {
  it.each([
    ['OPENAI_API_KEY', 'abcd1234efgh'],
    ['GITHUB_TOKEN', 'abcd-1234'],
    ['DB_PASSWORD', 'hunter22'],
    ['MY_APIKEY', 'Abcdefgh'],
    ['AWS_SECRET_ACCESS_KEY', 'wJalrXUt/bPxRf'],
    ['TOKEN', 'a b c d e'],
    ['NPM_AUTH_TOKEN2', 'abcdefgh1'],
    // Whatever a key of a provider looks like.
    ['OPENAI_COMPATIBLE_API_KEY', 'mysecretpassphrase'],
    ['ASSAY_API_KEY', '12345678'],
  ])('knows %s', (name, value) => {
    expect(secretsIn({ [name]: value })).toEqual([{ name, value }]);
  });

  it('knows a key as it is sent, without the line break behind it', () => {
    expect(secretsIn({ OPENAI_API_KEY: 'abcd1234efgh\n' })).toEqual([
      { name: 'OPENAI_API_KEY', value: 'abcd1234efgh' },
    ]);
  });

  it.each([
    ['PATH', '/usr/bin:/bin'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXX/agent.123'],
    ['XAUTHORITY', '/root/.Xauthority'],
    ['API_KEY', 'short1'],
    ['API_KEY', 'changeme'],
    ['API_KEY', '12345678'],
    ['SECRET', ''],
    ['MONKEY', 'abcd1234efgh'],
    ['KEYBOARD_LAYOUT', 'de-latin1-nodeadkeys'],
    ['PASSENGER_COUNT', 'about-12-people'],
    ['TOKENIZERS_PARALLELISM', 'false-or-1'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
  ])('leaves %s=%s alone', (name, value) => {
    expect(secretsIn({ [name]: value })).toEqual([]);
  });
});

describe('scrubValue', () => {
  it('reaches every string and key of a value, and nothing else', () => {
    const token = `ghp_${random(36)}`;
    const value = { a: [1, true, null, `x ${token}`], [token]: { b: token } };
    expect(scrubValue(value, [])).toEqual({
      value: {
        a: [1, true, null, 'x [scrubbed:github-token]'],
        '[scrubbed:github-token]': { b: '[scrubbed:github-token]' },
      },
      found: ['github-token'],
    });
  });
});
