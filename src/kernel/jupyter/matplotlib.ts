import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readResultFile, type Sandbox, type Toolchain } from '../../sandbox/index.ts';
import { findCjkFonts } from './cjk-font.ts';
import type { Environment } from './kernelspec.ts';

const settingsName = 'matplotlibrc';

/** Files for the folder of matplotlib's settings, by name. */
export type MatplotlibFiles = Record<string, string | Uint8Array>;

/**
 * What lets figures show Chinese, Japanese and Korean where such a font is installed, on the system or beside the fonts
 * that matplotlib brings: its characters are taken for those that the default font lacks (matplotlib 3.6 and later).
 * There always are settings: those that Debian's matplotlib needs to be imported lie in /etc, outside of the sandbox.
 *
 * @param options.program the interpreter whose matplotlib draws
 */
export function matplotlibSettings({ program }: { program: string }): MatplotlibFiles {
  const families = findCjkFonts(fontFoldersOf(installedMatplotlib(program)));
  return { [settingsName]: `font.family: ${['DejaVu Sans', ...families].join(', ')}\n` };
}

/** matplotlib's list of the fonts of this machine, which it takes a second to make; kept for all kernels to come. */
export class FontCache {
  /** null where this Python has no matplotlib. */
  readonly #folder: string | null;

  constructor(options: { toolchain: Toolchain; env: Environment }) {
    const installed = installedMatplotlib(options.toolchain.program);
    const home = options.env.XDG_CACHE_HOME ?? join(options.env.HOME || homedir(), '.cache');
    const key = createHash('sha256')
      .update(JSON.stringify([installed, fontFoldersOf(installed).flatMap(changes)]))
      .digest('hex');
    this.#folder = installed === null ? null : join(home, 'assay/matplotlib', key.slice(0, 16));
  }

  /** null where it is not made yet. */
  read(): MatplotlibFiles | null {
    try {
      const folder = this.#folder ?? '';
      return Object.fromEntries(
        fs.readdirSync(folder).map((name) => [name, fs.readFileSync(join(folder, name))]),
      );
    } catch {
      return null;
    }
  }

  /** Makes it in a sandbox of its own, in which no code of an analysis ever ran. What fails is only not kept. */
  async make(options: {
    sandbox: Sandbox;
    toolchain: Toolchain;
    strict: boolean;
    signal: AbortSignal;
  }): Promise<void> {
    const { sandbox, toolchain, strict, signal } = options;
    if (this.#folder === null) return;
    const staging = sandbox.stage();
    try {
      const made = join(staging.path, 'fonts');
      fs.mkdirSync(made);
      fs.chmodSync(made, 0o777);
      // See `matplotlibSettings`.
      fs.writeFileSync(join(made, settingsName), '');
      const { outcome } = await sandbox.run({
        command: {
          argv: [toolchain.program, '-I', '-c', 'import matplotlib.font_manager'],
          cwd: '/tmp',
          env: { MPLCONFIGDIR: '/run/fonts' },
        },
        policy: {
          mounts: [{ kind: 'rw', source: made, target: '/run/fonts' }],
          toolchains: [toolchain],
          strict,
        },
        limits: makeLimits,
        signal,
      });
      if (outcome.exitCode === 0) this.#keep(made);
    } catch {
      // Without it, matplotlib makes its own in each kernel.
    } finally {
      staging.remove();
    }
  }

  #keep(made: string): void {
    const folder = this.#folder ?? '';
    const names = fs.readdirSync(made).filter((name) => /^fontlist-v[\w.]+\.json$/.test(name));
    const lists = names.flatMap((name) => {
      const file = readResultFile({ root: made, path: name, maxBytes: makeLimits.fileBytes });
      return file.kind === 'file' ? [{ name, bytes: file.bytes }] : [];
    });
    if (lists.length === 0) return;
    const part = `${folder}.${process.pid}`;
    fs.mkdirSync(part, { recursive: true });
    for (const { name, bytes } of lists) fs.writeFileSync(join(part, name), bytes);
    try {
      fs.renameSync(part, folder);
    } catch {
      // Another process was faster.
      fs.rmSync(part, { recursive: true, force: true });
    }
  }
}

const makeLimits = {
  wallMs: 60_000,
  memoryBytes: 512 * 2 ** 20,
  pids: 64,
  cpus: 1,
  output: { maxBytes: 10_000, onExcess: 'truncate' as const },
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 64 * 2 ** 20,
  openFiles: 256,
};

/** Where matplotlib looks that a sandbox shows too. */
function fontFoldersOf(installed: string | null): string[] {
  const own = installed === null ? [] : [join(dirname(installed), 'matplotlib/mpl-data/fonts/ttf')];
  return ['/usr/share/fonts', '/usr/local/share/fonts', ...own];
}

/** The folder that tells its version, of the environment that an interpreter belongs to. */
function installedMatplotlib(program: string): string | null {
  const lib = join(dirname(dirname(program)), 'lib');
  for (const python of list(lib).filter((name) => /^python3/.test(name))) {
    for (const packages of ['site-packages', 'dist-packages']) {
      const folder = join(lib, python, packages);
      const found = list(folder).find((name) => /^matplotlib-[\d.]+.*-info$/.test(name));
      if (found !== undefined) return join(folder, found);
    }
  }
  return null;
}

/** When a folder and those below it have changed: a font that is installed changes only the one that it is in. */
function changes(folder: string): [path: string, mtimeMs: number][] {
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return [];
  const below = entries(folder).filter((entry) => entry.isDirectory());
  return [[folder, stats.mtimeMs], ...below.flatMap(({ name }) => changes(join(folder, name)))];
}

function entries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const list = (folder: string): string[] => entries(folder).map(({ name }) => name);
