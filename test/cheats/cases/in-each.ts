import type { FrameworkId } from '../../../src/lab/index.ts';
import { atImport, type Cheat } from '../cheat.ts';

export const pythons: FrameworkId[] = ['pytest', 'unittest'];
export const all: FrameworkId[] = [...pythons, 'node-test'];

/** The same cheat in Python for both frameworks, and its like in JavaScript where one is given. */
export function inEach(
  common: Pick<Cheat, 'number' | 'how' | 'end'> & Partial<Pick<Cheat, 'prints' | 'spec' | 'rounds'>>,
  code: { python?: string; node?: string },
): Cheat[] {
  return all.flatMap((framework) => {
    const text = framework === 'node-test' ? code.node : code.python;
    return text === undefined ? [] : [{ ...common, framework, edits: atImport(framework, text) }];
  });
}

export const failed = { as: 'red', verdict: 'failed' } as const;
