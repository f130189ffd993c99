import * as fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AssayError, type Coverage, type FileChange, type Report } from '../../core/index.ts';
import { type Opened, openedOf } from '../project/opened.ts';
import { environment as testEnvironment } from '../run/execute.ts';
import { sandboxLimits } from '../run/limits.ts';
import type { Evaluator, OpenEvaluatorOptions, Project } from '../types.ts';
import { emptyFolder, workspaceMounts } from '../workspace/mounts.ts';
import { stage } from '../workspace/stage.ts';
import { type ForkServer, type ForkServerSetup, startForkServer } from './fork-server.ts';
import { openPool } from './pool.ts';
import { type Schedule, scheduleOf } from './schedule.ts';

/** Where the fork server's files are mounted inside. */
const serverFolder = '/assay-warm';

/** A fork server outlives single candidates: its sandbox may live this long before it is replaced. Milliseconds. */
const lifeMs = 60 * 60 * 1_000;

/** Frameworks the warm evaluator can drive. */
const warmFrameworks = ['pytest', 'unittest'] as const;
type WarmFramework = (typeof warmFrameworks)[number];

/**
 * Opens a warm evaluator: fork servers in sandboxes of their own, started when the first candidate comes. The order of tests,
 * failing ones first, and the time limit of a candidate come from the baseline.
 *
 * @throws AssayError `environment` where the framework has no warm evaluator.
 */
export async function openEvaluator(options: OpenEvaluatorOptions): Promise<Evaluator> {
  const { project, baseline, signal } = options;
  const framework = warmFramework(project);
  const opened = openedOf(project);
  const schedule = scheduleOf(baseline, options.ignore);
  const staged = stageOnce(opened, options.changes ?? []);
  const pool = openPool({
    size: options.workers ?? Math.min(availableParallelism(), 8),
    time: schedule,
    start: () => start({ ...options, opened, framework, schedule, fill: staged.folder() }),
  });
  let measured: Coverage | null = null;
  return {
    evaluate: (candidates, request) =>
      pool.judge(candidates, {
        signal: signal ? AbortSignal.any([signal, request.signal]) : request.signal,
        onResult: (result) => {
          options.onResult?.(result);
          request.onResult?.(result);
        },
      }),
    coverage: async () => {
      measured ??= await pool.coverage({
        totalMs: Math.max(60_000, 20 * schedule.limitMs),
        testMs: Math.max(1_000, schedule.limitMs),
      });
      return measured;
    },
    get restarts() {
      return pool.restarts;
    },
    close: async () => {
      await pool.close();
      staged.remove();
    },
  };
}

/** The files that servers start from, laid when the first one does. */
function stageOnce({ base, scratch }: Opened, changes: readonly FileChange[]) {
  let above: string | null = null;
  let laid: string | null = null;
  return {
    folder() {
      if (changes.length === 0) return base.openDir;
      above ??= fs.mkdtempSync(path.join(scratch, 'warm-'));
      laid ??= stage({ snapshot: base, changes, byteCode: [], sealed: [], into: path.join(above, 'files') });
      return laid;
    },
    remove() {
      if (above !== null) fs.rmSync(above, { recursive: true, force: true });
    },
  };
}

function warmFramework(project: Project): WarmFramework {
  const found = warmFrameworks.find((id) => id === project.framework);
  if (found !== undefined) return found;
  throw new AssayError({
    code: 'environment',
    message: `the warm evaluator cannot run ${project.framework}`,
    because: `it drives ${warmFrameworks.join(' and ')}`,
    fix: 'use another proposer, e.g. --model replay:FILE',
  });
}

async function start(options: StartOptions): Promise<ForkServer> {
  const { opened, project, limits, signal } = options;
  const { sandbox, tree, base, toolchain, command } = opened;
  const sealed = base.sealedFiles.filter((file) => !project.heldOut.includes(file));
  const child = await sandbox.spawn({
    command: {
      argv: [
        toolchain.program,
        '-B',
        ...(command?.flags ?? []),
        path.posix.join(serverFolder, 'fork_server.py'),
      ],
      cwd: tree.dir,
      env: { ...testEnvironment, ...command?.env },
    },
    policy: {
      mounts: [
        ...workspaceMounts(opened, { fill: options.fill, sealed, empty: emptyFolder(opened.scratch) }),
        { kind: 'ro', source: fileURLToPath(new URL('./python', import.meta.url)), target: serverFolder },
      ],
      toolchains: [toolchain],
      strict: opened.strict,
      channel: { maxBytes: Number.MAX_SAFE_INTEGER },
    },
    limits: { ...sandboxLimits(limits, base.totalBytes), wallMs: lifeMs, cpus: 1 },
    ...(signal === undefined ? {} : { signal }),
  });
  const server = await startForkServer(child, setupOf(options));
  if (server !== null) return server;
  const outcome = await child.kill();
  throw new AssayError({
    code: 'environment',
    message: 'The warm evaluator did not start.',
    because:
      outcome.unavailable?.cause ??
      (outcome.stderr.head.trim().slice(-500) || `its process ended: ${outcome.reason}`),
    fix:
      outcome.unavailable?.fix ??
      'run `assay lab` on the project: what it reports there is most likely the reason',
  });
}

type StartOptions = OpenEvaluatorOptions & {
  opened: Opened;
  framework: WarmFramework;
  schedule: Schedule;
  /** The folder that the workspace is filled from. */
  fill: string;
};

function setupOf(options: StartOptions): ForkServerSetup {
  const { opened, project, framework, schedule, baseline } = options;
  const { tree, environments } = opened;
  const at = (file: string) => path.posix.join(tree.dir, file);
  const testFiles = testFilesOf(schedule.order, baseline);
  const { args, importPath } = frameworkSetup(opened, framework, { testFiles, absent: project.heldOut });
  const python = filesAfter(project, options.changes ?? []).filter((file) => file.endsWith('.py'));
  const own = python.filter((file) => project.protectedBecause(file) === null);
  return {
    framework,
    root: tree.dir,
    scratch: ['/tmp', '/dev/shm'],
    skip: environments.map((environment) => at(environment.path)),
    failing: schedule.failing,
    order: schedule.order,
    args,
    tests: python.filter((file) => project.protectedBecause(file) !== null).map(at),
    files: Object.fromEntries(own.map((file) => [at(file), file])),
    path: importPath.map(at),
    limit: 60,
  };
}

function filesAfter({ files }: Project, changes: readonly FileChange[]): string[] {
  const left = new Set(files);
  for (const { path: file, after } of changes) {
    if (after === null) left.delete(file);
    else left.add(file);
  }
  return [...left];
}

const pythonPlan = z.object({
  via: z.string().optional(),
  args: z.array(z.string()),
  path: z.array(z.string()).default([]),
});

/** The framework's own arguments for these files, and the folders it is imported from, project-relative. */
function frameworkSetup(
  { framework: lab, tree, command, toolchain }: Opened,
  framework: WarmFramework,
  { testFiles, absent }: { testFiles: string[]; absent: readonly string[] },
): { args: string[]; importPath: string[] } {
  const selection = { kind: 'files', files: testFiles } as const;
  const plan = lab.plan({
    mode: 'run',
    tree,
    command,
    toolchain,
    selection,
    injected: serverFolder,
    testFiles,
    absent,
  });
  const { via, args, path: folders } = pythonPlan.parse(plan.config);
  if (framework === 'unittest') return { args, importPath: [...folders, '.'] };
  // Nobody reads how a candidate failed: no rewritten assertions, no formatted traceback.
  const quick = ['--assert=plain', '--tb=native', '-q'];
  return { args: [...args, ...quick], importPath: via === 'script' ? [] : ['.'] };
}

/** Files of these tests; a test the baseline never reached is in none of its reports, but pytest's ids begin with the file. */
function testFilesOf(order: readonly string[], baseline: Report): string[] {
  const files = new Map(baseline.tests.map((test) => [test.id, test.file]));
  return [...new Set(order.map((id) => files.get(id) ?? id.split('::')[0] ?? id))];
}
