import type { Env } from './home.ts';

/** What `scrub` took out is named, never kept. */
export type Scrubbed = { text: string; found: string[] };

type Pattern = {
  name: string;
  /** Group `keep`, if any, stays in front of the mark. Starts are bounded, so that no text takes quadratic time. */
  pattern: RegExp;
  /** Where the format alone says too little: whether what stands in group `value` looks like a secret. */
  when?: (value: string) => boolean;
};

const start = '(?<![A-Za-z0-9_-])';

/** What a template, an example or a test says in place of a secret. */
const placeholder =
  /^(?:[$%<{*]|(?:your|my|the|an?|some|any|new|old|change|example|placeholder|xxx|test|dummy|fake|mock|sample|default|invalid|wrong|todo|none|null|undefined|true|false)(?:[^a-z]|$|me))/i;

/** Words, perhaps numbered: the name of something. */
const wordish = (value: string) =>
  value
    .split(/[-_.:/@]+/)
    .every((part) =>
      /^(?:[a-z]*|[A-Z]+|(?:[A-Z]?[a-z]+)+(?:[A-Z][a-z]+)*|v?\d{1,4}|[A-Za-z]{3,}\d{1,2})$/.test(part),
    );

/** Of a variable of the environment, whose name says what it is. */
const looksAssigned = (value: string) =>
  value.length >= 6 && /[A-Za-z]/.test(value) && /[\d!@#$^&*]/.test(value) && !placeholder.test(value);

/** Of a text in code, where names, paths and made-up values of tests are more frequent than secrets. */
const looksRandom = (value: string) =>
  value.length >= 16 &&
  /[A-Za-z]/.test(value) &&
  /\d.*\d/.test(value) &&
  !placeholder.test(value) &&
  !wordish(value) &&
  !/^[\w./-]+\.\w{2,4}$|:\/\//.test(value);

/** Token formats as their issuers publish them; close enough to random text that ordinary code has none. */
const patterns: readonly Pattern[] = [
  {
    name: 'private-key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=[^-]{0,200}[A-Za-z0-9+/]{32})[\s\S]{0,16384}?(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'jwt', pattern: bounded('eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]*') },
  {
    name: 'api-key',
    pattern: bounded('sk-(?=[A-Za-z0-9_-]*\\d)(?=[A-Za-z0-9_-]*[A-Za-z0-9]{16})[A-Za-z0-9_-]{20,}'),
  },
  {
    name: 'api-key',
    pattern: bounded('(?:gsk|xai|pplx|r8|e2b|fw|nvapi)[_-](?=[A-Za-z0-9]*\\d)[A-Za-z0-9]{32,}'),
  },
  { name: 'github-token', pattern: bounded('(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})') },
  {
    name: 'gitlab-token',
    pattern: bounded('gl(?:pat|dt|rt|cbt|ptt|ft|soat)-(?=[A-Za-z0-9_-]*\\d)[A-Za-z0-9_-]{20,}'),
  },
  { name: 'aws-key-id', pattern: bounded('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])') },
  {
    name: 'aws-secret',
    pattern:
      /(?<keep>aws_?secret_?(?:access_?)?key["']?\s{0,4}[=:]\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  { name: 'slack-token', pattern: bounded('xox[abeoprs]-(?=[A-Za-z0-9-]*\\d)[A-Za-z0-9-]{16,}') },
  { name: 'slack-token', pattern: bounded('xapp-\\d-[A-Za-z0-9-]{20,}') },
  {
    name: 'slack-webhook',
    pattern: /(?<keep>hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9]{6,}\/[A-Za-z0-9/]{12,}/g,
  },
  { name: 'google-key', pattern: bounded('AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])') },
  { name: 'google-token', pattern: bounded('ya29\\.[A-Za-z0-9_-]{20,}') },
  { name: 'stripe-key', pattern: bounded('(?:[spr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}') },
  { name: 'npm-token', pattern: bounded('npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])') },
  { name: 'pypi-token', pattern: bounded('pypi-AgE[A-Za-z0-9_-]{50,}') },
  { name: 'huggingface-token', pattern: bounded('hf_(?=[A-Za-z]*\\d|[a-z]*[A-Z])[A-Za-z0-9]{30,}') },
  { name: 'sendgrid-key', pattern: bounded('SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}') },
  { name: 'azure-key', pattern: /(?<keep>AccountKey=)[A-Za-z0-9+/]{60,90}={0,2}/g },
  {
    name: 'authorization',
    pattern:
      /(?<keep>\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Bearer|Basic|Token)\s{1,4})(?=[A-Za-z._~+/-]*[\d=])[A-Za-z0-9._~+/-]{8,}={0,2}/gi,
  },
  {
    name: 'authorization',
    pattern: /(?<keep>\bBearer )(?=[A-Za-z._~+/-]*\d)[A-Za-z0-9._~+/-]{20,}={0,2}/g,
  },
  {
    name: 'api-key',
    pattern:
      /(?<keep>\bx-(?:api-key|goog-api-key|auth-token)["']?\s{0,4}:\s{0,4}["']?)(?=[A-Za-z_-]*\d)[A-Za-z0-9_.-]{16,}/gi,
  },
  {
    name: 'url-password',
    pattern:
      /(?<keep>(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,64}:)(?!(?:secret|password|passwd|pass|pwd|token|changeme|x+|\*+)@)[^\s:@/"'`<>${}[\]]{3,256}(?=@[A-Za-z0-9[])/g,
  },
  {
    name: 'npm-token',
    pattern:
      /(?<keep>(?<![A-Za-z0-9_]):?_(?:authToken|password|auth)\s{0,2}=\s{0,2}["']?)(?![$[])(?<value>[A-Za-z0-9+/=_.-]{8,512})/g,
    when: (value) => !placeholder.test(value),
  },
  {
    // A line of a .env file, a shell or a compose file: a name in capitals, no spaces, an unbroken value.
    name: 'password',
    pattern:
      /(?<keep>(?<=^|[\s"'`;+-]|\\n)[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|PWD)=["']?)(?![[$])(?<value>[^\s"'`${}<>()[\]\\,;]{6,512})(?=["'\s\\]|$)/g,
    when: looksAssigned,
  },
  {
    name: 'secret',
    pattern:
      /(?<keep>(?<=^|[\s"'`;+-]|\\n)[A-Z0-9_]{0,60}(?:SECRET|TOKEN|KEY|CREDENTIALS?)=["']?)(?![[$])(?<value>[^\s"'`${}<>()[\]\\,;]{8,512})(?=["'\s\\]|$)/g,
    when: (value) => looksAssigned(value) && !wordish(value),
  },
  {
    name: 'secret',
    pattern:
      /(?<keep>(?:password|passwd|passphrase|secret|token|(?:api|access|secret|private|auth|encryption|signing|account)[_-]?key)["'`]?\s{0,4}(?:=>?|:=?)\s{0,4}["'`])(?![[$])(?<value>[^\s"'`${}<>()[\]\\]{16,512})(?=["'`])/gi,
    when: looksRandom,
  },
];

function bounded(body: string): RegExp {
  return new RegExp(`${start}${body}`, 'g');
}

/** A secret that is known by its value. `name`: the variable it came from. */
export type KnownSecret = { name: string; value: string };

/**
 * The values of environment variables that hold secrets by their name, longest first. Left out: short values,
 * paths, and plain words or numbers, whose replacement would destroy ordinary text. Of a variable that is called
 * `NAME_API_KEY` those are kept too: it is a provider's key and nothing else, however simple its owner made it.
 */
export function secretsIn(env: Env): KnownSecret[] {
  return Object.entries(env)
    .flatMap(([name, value = '']) => {
      // As it is sent: what reads a key from a file leaves a line break behind it.
      const sent = value.trim();
      return looksSecret(name, sent) ? [{ name, value: sent }] : [];
    })
    .toSorted((a, b) => b.value.length - a.value.length);
}

function looksSecret(name: string, value: string): boolean {
  const named =
    /(?:^|_)(?:API_?)?(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|AUTH)(?:_|\d|$)/i.test(
      name,
    ) || /(?:apikey|accesskey|secretkey|authtoken)/i.test(name);
  if (!named || value.length < 8 || value.length > 16_384) return false;
  if (/_API_KEY$/i.test(name)) return true;
  if (/^(?:\/|[A-Za-z]:\\|\.{1,2}\/)/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 || (value.length >= 20 && !/^\d+$/.test(value));
}

/**
 * Replaces secrets by `[scrubbed:NAME]`: known values wherever they stand (also URL-encoded), and the usual token
 * formats. Text without secrets comes back as it is. Pure; applying it twice changes nothing more.
 */
export function scrub(text: string, known: readonly KnownSecret[]): Scrubbed {
  const found = new Set<string>();
  let clean = text;
  for (const { name, value } of known) {
    for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])) {
      if (!clean.includes(form)) continue;
      found.add(name);
      clean = clean.replaceAll(form, mark(name));
    }
  }
  for (const { name, pattern, when } of patterns) {
    clean = clean.replace(pattern, (...match: unknown[]) => {
      const groups = match.at(-1);
      const { keep = '', value = '' } = isGroups(groups) ? groups : {};
      if (when !== undefined && !when(value)) return String(match[0]);
      found.add(name);
      return keep + mark(name);
    });
  }
  return { text: clean, found: [...found] };
}

function isGroups(value: unknown): value is { keep?: string; value?: string } {
  return typeof value === 'object' && value !== null;
}

const mark = (name: string): string => `[scrubbed:${name}]`;

/** Whether something was taken out of a text: a patch that was scrubbed no longer applies. */
export function isScrubbed(text: string): boolean {
  return /\[scrubbed:[\w-]+\]/.test(text);
}

/** `scrub` on every string of a JSON value, object keys included. */
export function scrubValue<T>(value: T, known: readonly KnownSecret[]): { value: T; found: string[] } {
  const found = new Set<string>();
  // Keys, states and file names come thousands of times in one report.
  const cleaned = new Map<string, string>();
  const clean = (text: string): string => {
    const before = cleaned.get(text);
    if (before !== undefined) return before;
    const scrubbed = scrub(text, known);
    for (const name of scrubbed.found) found.add(name);
    cleaned.set(text, scrubbed.text);
    return scrubbed.text;
  };
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return clean(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [clean(key), walk(inner)]));
  };
  return { value: walk(value) as T, found: [...found] };
}
