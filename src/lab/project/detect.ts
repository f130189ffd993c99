import { AssayError } from '../../core/index.ts';
import { resolveToolchain } from '../../sandbox/index.ts';
import type { Framework, SourceTree, TestCommand } from '../frameworks/framework.ts';
import { frameworks } from '../frameworks/index.ts';
import type { FrameworkId } from '../types.ts';
import { notSupported, unsupportedBy, unsupportedIn } from './unsupported.ts';

export type Detected = { framework: Framework; command: TestCommand | null; warnings: string[] };

/**
 * Which framework judges the project: the one named, else the one the test command starts, else the one with the best
 * evidence in the tree.
 * @throws AssayError `usage` where the two named contradict each other or the command is of no known framework,
 *   `environment` where the command's program does not exist or there is no sign of a framework.
 */
export async function detectFramework(options: {
  tree: SourceTree;
  framework: FrameworkId | null;
  testCommand: readonly string[] | null;
}): Promise<Detected> {
  const { tree, framework: id, testCommand } = options;
  const known = Object.values(frameworks);
  const named = id === null ? null : (frameworks[id] ?? null);
  if (id !== null && named === null) throw unknownFramework(id);
  if (testCommand !== null) {
    const candidates = named === null ? known : [named];
    for (const framework of candidates) {
      const command = framework.parseCommand(testCommand, tree);
      if (command !== null) return { framework, command, warnings: [] };
    }
    throw await notUnderstood(testCommand, tree, named);
  }
  if (named !== null) return { framework: named, command: null, warnings: [] };
  return byEvidence(tree, known);
}

function byEvidence(tree: SourceTree, known: readonly Framework[]): Detected {
  const found = known.flatMap((framework) => {
    const detection = framework.detect(tree);
    return detection === null ? [] : [{ framework, ...detection }];
  });
  const best = Math.max(0, ...found.map(({ score }) => score));
  const first = found.find(({ score }) => score === best);
  // A file that is only named like a test may be one of another framework.
  const foreign = unsupportedIn(tree);
  if (foreign !== null && best <= 1 && (first === undefined || first.framework.id === 'node-test'))
    throw notSupported(foreign);
  if (first === undefined) {
    throw new AssayError({
      code: 'environment',
      message: `No tests were found in ${tree.dir}`,
      because: `no file looks like a test of ${Object.keys(frameworks).join(', ')}`,
      fix: 'Give the folder that has the tests, or name the test command with --test',
    });
  }
  const others = found.filter((each) => each !== first && isSuite(each, first));
  const warnings = others.map(
    ({ framework, because }) =>
      `tests of ${framework.id} are here too (${because}) and are not run: ${first.framework.id} was taken (${first.because}); choose with --framework ${framework.id}`,
  );
  if (foreign !== null)
    warnings.push(
      `tests of ${foreign.name} are not run, which assay does not support yet (${foreign.because})`,
    );
  return { framework: first.framework, command: null, warnings };
}

type Found = { framework: Framework; score: number };

/** Tests of its own beside those of the one that was taken: not files that are only named so, nor what that one runs too. */
function isSuite({ framework, score }: Found, taken: Found): boolean {
  if (taken.framework.id === 'pytest' && framework.id === 'unittest') return false;
  return score > 1 || score === taken.score;
}

function unknownFramework(id: string): AssayError {
  return new AssayError({
    code: 'usage',
    message: `There is no framework ${id}`,
    fix: `Name one of ${Object.keys(frameworks).join(', ')}`,
  });
}

async function notUnderstood(
  command: readonly string[],
  tree: SourceTree,
  named: Framework | null,
): Promise<AssayError> {
  const program = command.find((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (program === undefined) {
    return new AssayError({
      code: 'usage',
      message: 'The test command is empty',
      fix: 'Give a command with --test',
    });
  }
  try {
    await resolveToolchain({ program, cwd: tree.dir });
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  const foreign = unsupportedBy(command);
  if (foreign !== null && named === null) return notSupported(foreign);
  const text = command.join(' ');
  return new AssayError({
    code: 'usage',
    message:
      named === null
        ? `The test command "${text}" starts no framework that assay knows`
        : `The test command "${text}" does not start ${named.id}`,
    because: 'results are read from the framework itself, never from what a command prints',
    fix: 'Give the command that starts the framework directly, e.g. --test "python -m pytest tests"',
  });
}
