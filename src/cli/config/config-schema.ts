import { z } from 'zod';
import { AssayError, priceSchema } from '../../core/index.ts';

const text = z.string().min(1);
const whole = z.number().int().min(1);
const positive = z.number().positive();

/** Defaults for `assay fix`, each as the option of the same name. Numbers are in its units: seconds, US dollars. */
const shared = {
  model: text.optional(),
  framework: z.enum(['pytest', 'unittest', 'node-test']).optional(),
  test: text.optional(),
  setup: text.optional(),
  rounds: whole.optional(),
  timeout: positive.optional(),
  testTimeout: positive.optional(),
  perTest: positive.optional(),
  maxCandidates: whole.optional(),
  maxTokens: whole.optional(),
  maxCost: positive.optional(),
  protect: z.array(text).optional(),
  holdout: z.array(text).optional(),
  /** By model id, in US dollars for a million tokens. */
  prices: z.record(text, priceSchema.strict()).optional(),
  contextTokens: whole.optional(),
  maxOutputTokens: whole.optional(),
  patchTransport: z.enum(['auto', 'tool', 'text']).optional(),
};

/** `assay.config.json` and `assay.config.ts` in the project's folder. */
export const projectConfigSchema = z.strictObject(shared);
export type ProjectConfig = z.infer<typeof projectConfigSchema>;

/** `assay/config.json` in the user's configuration folder. */
export const userConfigSchema = z.strictObject({ ...shared, baseUrl: text.optional() });
export type UserConfig = z.infer<typeof userConfigSchema>;

const isKey = {
  because: 'a key in a file is soon in a repository',
  fix: 'set the environment variable of the provider, e.g. OPENAI_API_KEY',
};

/** What a file may not decide, and who may. */
const refused: Record<'project' | 'user', Readonly<Record<string, { because: string; fix: string }>>> = {
  project: {
    baseUrl: {
      because:
        'a project is outside text, and this would send your source and your key to a place of its choice',
      fix: 'give --base-url, set ASSAY_BASE_URL, or write baseUrl into your own configuration',
    },
    write: {
      because: 'whether your files are written is for you to say',
      fix: 'give --write, or use assay apply',
    },
    strict: {
      because: 'a project may not lower what the sandbox has to enforce',
      fix: 'give --no-strict, if you mean it',
    },
    trustCollected: {
      because: 'a project may not lower what counts as proof',
      fix: 'give --trust-collected, if you mean it',
    },
    apiKey: isKey,
    key: isKey,
  },
  user: { apiKey: isKey, key: isKey },
};

/**
 * Checks what a configuration file holds.
 * @param options.file as the user knows it, for messages
 * @throws AssayError `usage` naming the field.
 */
export function checkConfig(value: unknown, options: { of: 'project'; file: string }): ProjectConfig;
export function checkConfig(value: unknown, options: { of: 'user'; file: string }): UserConfig;
export function checkConfig(
  value: unknown,
  { of, file }: { of: 'project' | 'user'; file: string },
): ProjectConfig | UserConfig {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  for (const name of names) {
    const rule = Object.hasOwn(refused[of], name) ? refused[of][name] : undefined;
    if (rule !== undefined) throw wrong({ message: `${file} may not set ${name}`, ...rule });
  }
  const schema = of === 'project' ? projectConfigSchema : userConfigSchema;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 3).map(problemOf);
  throw wrong({
    message: `${file} is no configuration of assay`,
    because: problems.join('; '),
    fix: `there are ${Object.keys(schema.shape).join(', ')}; docs/fix.md shows an example`,
  });
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const at = issue.path.length === 0 ? '' : ` in ${issue.path.join('.')}`;
    return `${issue.keys.join(', ')}: no such field${at}`;
  }
  return `${issue.path.join('.') || 'the file'}: ${issue.message}`;
}

const wrong = (options: { message: string; because: string; fix: string }) =>
  new AssayError({ code: 'usage', ...options });
