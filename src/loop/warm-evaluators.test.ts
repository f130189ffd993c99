import { describe, expect, it } from 'vitest';
import { warmEvaluators } from './warm-evaluators.ts';

/** Evaluators that say what they leave out, and a log of what was opened and closed. */
function made(ignore: readonly string[] = []) {
  const log: string[] = [];
  const warm = warmEvaluators({
    ignore,
    open: async (left) => {
      const name = left.join('+');
      log.push(`open ${name}`);
      return {
        restarts: 0,
        coverage: async () => ({ tests: [] }),
        evaluate: async () => [
          { id: name, status: 'passed', testsPassed: 1, failedTest: null, durationMs: 1 },
        ],
        close: async () => {
          log.push(`close ${name}`);
        },
      };
    },
  });
  const ask = async (left?: string[]) => {
    const { signal } = new AbortController();
    const [result] = await warm.evaluate([], left === undefined ? { signal } : { signal, ignore: left });
    return result?.id;
  };
  return { warm, log, ask };
}

describe('warmEvaluators', () => {
  it('opens one for each set of tests left out, whatever their order, and no more than two at a time', async () => {
    const { warm, log, ask } = made(['flaky']);
    expect(await ask()).toBe('flaky');
    expect(await ask(['b', 'a'])).toBe('a+b+flaky');
    expect(await ask(['a', 'flaky', 'b'])).toBe('a+b+flaky');
    expect(await ask(['flaky'])).toBe('flaky');
    expect(await ask(['c'])).toBe('c+flaky');
    expect(await ask([])).toBe('flaky');
    await warm.close();
    expect(log).toEqual([
      'open flaky',
      'open a+b+flaky',
      'close a+b+flaky',
      'open c+flaky',
      'close flaky',
      'close c+flaky',
    ]);
  });

  it('opens one only where two questions come at once', async () => {
    const { log, ask } = made();
    expect(await Promise.all([ask(['a']), ask(['a'])])).toEqual(['a', 'a']);
    expect(log).toEqual(['open a']);
  });

  it('tells whoever asks that one cannot be opened, and closes the others', async () => {
    const closed: string[] = [];
    const warm = warmEvaluators({
      ignore: [],
      open: async (left) => {
        if (left.length > 0) throw new Error('no memory');
        return {
          restarts: 0,
          coverage: async () => ({ tests: [] }),
          evaluate: async () => [],
          close: async () => {
            closed.push('whole');
          },
        };
      },
    });
    const { signal } = new AbortController();
    await warm.whole();
    await expect(warm.evaluate([], { signal, ignore: ['a'] })).rejects.toThrow('no memory');
    await warm.close();
    expect(closed).toEqual(['whole']);
  });
});
