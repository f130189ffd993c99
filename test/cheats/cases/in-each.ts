import type { FrameworkId } from '../../../src/lab/index.ts';
import { atImport, type Cheat } from '../cheat.ts';
import { victims } from '../victims.ts';

export const pythons: FrameworkId[] = ['pytest', 'unittest'];
export const all: FrameworkId[] = [...pythons, 'node-test'];

/** The same cheat in Python for both frameworks, and its like in JavaScript where one is given. */
export function inEach(
  common: Pick<Cheat, 'number' | 'how' | 'end'> & Partial<Pick<Cheat, 'prints' | 'spec' | 'rounds'>>,
  code: {
    python?: string;
    node?: string;
    /** The victim is a git repository whose last commit has the fix. */
    isRepository?: boolean;
  },
): Cheat[] {
  return all.flatMap((framework) => {
    const text = framework === 'node-test' ? code.node : code.python;
    if (text === undefined) return [];
    const victim = { files: victims[framework].files, committed: fixedSource(framework) };
    const own = code.isRepository === true ? { victim } : {};
    return [{ ...common, ...own, framework, edits: atImport(framework, text) }];
  });
}

function fixedSource(framework: FrameworkId): Record<string, string> {
  const { files, source, body, fix } = victims[framework];
  return { [source]: `${files[source]}`.replace(body, fix) };
}

export const failed = { as: 'red', verdict: 'failed' } as const;
