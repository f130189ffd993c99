import { AssayError } from '../core/index.ts';

const keys: readonly { provider: string; variables: readonly string[] }[] = [
  { provider: 'anthropic', variables: ['ANTHROPIC_API_KEY'] },
  { provider: 'openai', variables: ['OPENAI_API_KEY'] },
  { provider: 'google', variables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'] },
];

/** There is no search for an analysis, and none is chosen for the user: a model costs money and reads the data. */
export function noModel(env: NodeJS.ProcessEnv): AssayError {
  const keyed = keys.find(({ variables }) => variables.some((name) => (env[name] ?? '').trim() !== ''));
  const example =
    keyed === undefined
      ? '--model PROVIDER/NAME with its key in the environment (anthropic and ANTHROPIC_API_KEY, for one), '
      : `--model ${keyed.provider}/NAME, whose key is set, `;
  return new AssayError({
    code: 'usage',
    message: 'Which model works on the task?',
    because: 'an analysis needs a model, and none is given or configured',
    fix: `name one: ${example}--model openai-compatible/NAME --base-url URL for a server of your own, or --model replay:FILE for a recording`,
  });
}

/** What a configuration names may not be had here, by its author's key for one. */
export function withWayOut(error: unknown, model: string): unknown {
  if (!AssayError.is(error) || error.code !== 'usage') return error;
  const { code, message, because, fix } = error;
  const why = `the configuration says model ${model}`;
  return new AssayError({
    code,
    message,
    because: because === undefined ? why : `${because}; ${why}`,
    fix: `${fix.replace(/\.$/, '')}; or name another with --model`,
    cause: error,
  });
}
