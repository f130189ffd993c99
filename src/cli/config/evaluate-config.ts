import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AssayError, type Outcome } from '../../core/index.ts';
import { parseJson } from '../../lab/index.ts';
import { createSandbox, type Limits, resolveToolchain } from '../../sandbox/index.ts';

export type EvaluateOptions = {
  /** The text of the module. */
  source: string;
  /** As the user knows it, for messages. */
  file: string;
  /** Refuse to run where a limit cannot be enforced. */
  strict: boolean;
  signal: AbortSignal;
};

const mebi = 1024 * 1024;
const limits: Limits = {
  wallMs: 10_000,
  memoryBytes: 1024 * mebi,
  pids: 64,
  cpus: 2,
  output: { maxBytes: mebi, onExcess: 'truncate' },
  tmpBytes: 16 * mebi,
  fileBytes: 16 * mebi,
  openFiles: 256,
};
export const maxConfigBytes = 256 * 1024;

/** Where the module lies inside; nothing of the project lies beside it. */
const room = '/assay-config';

/** What the module prints is noise; its default export leaves by the channel. */
const driver = `
import { writeSync } from 'node:fs';
const { default: value } = await import('${room}/assay.config.ts');
const settled = await (typeof value === 'function' ? undefined : value);
const text = JSON.stringify(settled) ?? '';
const bytes = Buffer.from(text);
const fd = Number(process.env.ASSAY_CHANNEL_FD);
for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
`;

/**
 * The default export of a TypeScript module, as JSON. The module is a project's and so outside text: it runs in a
 * sandbox without network, alone, for ten seconds at most, and never in this process.
 * @throws AssayError `usage` where it fails or exports no JSON; `environment` where no sandbox can be had.
 */
export async function evaluateConfig({ source, file, strict, signal }: EvaluateOptions): Promise<unknown> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-config-'));
  const sandbox = createSandbox();
  try {
    writeFileSync(path.join(folder, 'assay.config.ts'), source, { mode: 0o644 });
    // Read under the uid of the sandbox.
    chmodSync(folder, 0o755);
    const node = await resolveToolchain({ program: process.execPath, cwd: folder, env: process.env });
    const { outcome, channel } = await sandbox.run({
      command: {
        argv: [node.program, '--no-warnings', '--input-type=module', '--eval', driver],
        cwd: '/tmp',
        env: {},
      },
      policy: {
        mounts: [{ kind: 'ro', source: folder, target: room }],
        toolchains: [node],
        strict,
        channel: { maxBytes: maxConfigBytes },
      },
      limits,
      signal,
    });
    signal.throwIfAborted();
    if (outcome.reason !== 'exited' || outcome.exitCode !== 0) throw failed(file, outcome);
    return parsed(file, channel);
  } finally {
    sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function parsed(file: string, channel: Uint8Array): unknown {
  try {
    return parseJson(channel, { maxBytes: maxConfigBytes, maxDepth: 16 });
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    throw new AssayError({
      code: 'usage',
      message: `${file} has no default export that is JSON`,
      because: channel.length === 0 ? 'it exports nothing, or a function' : (error.because ?? error.message),
      fix: 'write `export default { rounds: 3 }`, with plain values only',
    });
  }
}

function failed(file: string, outcome: Outcome): AssayError {
  if (outcome.unavailable !== null) {
    return new AssayError({
      code: 'environment',
      message: `${file} is a program, and there is no sandbox to run it in`,
      because: outcome.unavailable.cause,
      fix: `${outcome.unavailable.fix}; or write the configuration as assay.config.json`,
    });
  }
  const said = `${outcome.stderr.head}${outcome.stderr.tail}`;
  return new AssayError({
    code: 'usage',
    message: `${file} cannot be read`,
    because: reasonOf(outcome, said),
    fix: 'it runs alone, without network and without the rest of the project: write plain values, or use assay.config.json',
  });
}

function reasonOf({ reason, exitCode }: Outcome, said: string): string {
  if (reason === 'timeout') return `it did not end within ${limits.wallMs / 1_000} seconds`;
  if (reason !== 'exited') return `it was ended: ${reason.replace('_', ' ')}`;
  const line = said.split('\n').find((each) => /^\s*(\w*Error|Error)\b.*:/.test(each));
  return (line ?? `it ended with exit code ${exitCode}`).trim().slice(0, 300);
}
