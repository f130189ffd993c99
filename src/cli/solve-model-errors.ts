import { AssayError } from '../core/index.ts';
import { suggestedModel } from './advice.ts';

/** There is no search for an analysis, and none is chosen for the user: a model costs money and reads the data. */
export function noModel(env: NodeJS.ProcessEnv): AssayError {
  const suggested = suggestedModel(env);
  const example =
    suggested === null
      ? '--model PROVIDER/NAME with its key in the environment (anthropic and ANTHROPIC_API_KEY, for one), '
      : `--model ${suggested.split('/', 1)[0]}/NAME, whose key is set, `;
  return new AssayError({
    code: 'usage',
    message: 'Which model works on the task?',
    because: 'an analysis needs a model, and none is given or configured',
    fix: `name one: ${example}--model openai-compatible/NAME --base-url URL for a server of your own, or --model replay:FILE for a recording`,
  });
}
