import { AssayError } from '../core/index.ts';
import { suggestedModel } from './advice.ts';

/** There is no search for an analysis, and none is chosen for the user: a model costs money and reads the data. */
export function noModel(env: NodeJS.ProcessEnv): AssayError {
  const keyed = suggestedModel(env);
  const example =
    keyed === null
      ? 'PROVIDER/MODEL with its key set (e.g. ANTHROPIC_API_KEY), openai-compatible/NAME with --base-url for a server of your own, or replay:FILE for a recording'
      : `${keyed} (its key is set), or any other PROVIDER/MODEL`;
  return new AssayError({
    code: 'usage',
    message: 'Which model works on the task?',
    because: 'an analysis needs a model, and none is given or configured',
    fix: `name one: --model ${example}`,
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
