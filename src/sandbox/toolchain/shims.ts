import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { entries, isFolder, readText, upward } from './files.ts';
import { examine, type Found, find, type Lookup } from './find.ts';
import type { Family } from './resolved.ts';

/** Version managers of the rbenv kind: `shims/NAME` is a script that runs `versions/VERSION/bin/NAME`. */
const managers = [
  { manager: 'pyenv', variable: 'PYENV_VERSION', file: '.python-version', prefix: 'python-' },
  { manager: 'nodenv', variable: 'NODENV_VERSION', file: '.node-version', prefix: 'node-' },
  { manager: 'rbenv', variable: 'RBENV_VERSION', file: '.ruby-version', prefix: 'ruby-' },
  { manager: 'goenv', variable: 'GOENV_VERSION', file: '.go-version', prefix: 'go-' },
] as const;
type Manager = (typeof managers)[number];

/** The program behind a shim, chosen as the manager would choose it but from files alone. */
export const shim: Family = (found, lookup, resolve) => {
  const root = dirname(dirname(found.file));
  if (basename(dirname(found.file)) !== 'shims' || !isFolder(join(root, 'versions'))) return null;
  const script = readText(found.file) ?? '';
  const manager = managers.find((candidate) => script.includes(`${candidate.manager}" exec`));
  if (manager === undefined) return null;
  return resolve(behind({ name: basename(found.file), root, manager, lookup }));
};

function behind(options: { name: string; root: string; manager: Manager; lookup: Lookup }): Found {
  const { name, root, manager, lookup } = options;
  const selected = selection(options);
  for (const version of selected) {
    const found =
      version === 'system'
        ? find(name, lookup, (folder) => folder === join(root, 'shims'))
        : examine(join(root, 'versions', installed(version, root, manager), 'bin', name));
    if (found !== null) return found;
  }
  const having = entries(join(root, 'versions')).filter(
    (v) => examine(join(root, 'versions', v, 'bin', name)) !== null,
  );
  throw new AssayError({
    code: 'environment',
    message: `${manager.manager} has no ${name} in the selected version ${selected.join(', ')}`,
    because:
      having.length > 0
        ? `it is installed in ${having.join(', ')}`
        : `no version of ${manager.manager} has it`,
    fix:
      having.length > 0
        ? `Set ${manager.variable}, or write one of these versions to ${manager.file}`
        : `Install the version, or ${name} into it`,
  });
}

/** Versions in order of preference: the variable, the nearest version file, the manager's own, else the system's. */
function selection(options: { root: string; manager: Manager; lookup: Lookup }): string[] {
  const { root, manager, lookup } = options;
  const fromVariable = lookup.env[manager.variable]?.split(':').filter(Boolean) ?? [];
  if (fromVariable.length > 0) return fromVariable;
  for (const { text } of upward(lookup.cwd, manager.file)) {
    const versions = versionsIn(text);
    if (versions.length > 0) return versions;
  }
  const global = versionsIn(readText(join(root, 'version')) ?? '');
  return global.length > 0 ? global : ['system'];
}

function versionsIn(text: string): string[] {
  return (
    text
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().split(/\s+/)[0] ?? '')
      // A project's version file must not lead out of the folder of versions.
      .filter((version) => /^[\w][\w.+-]*$/.test(version))
  );
}

/** The folder for a version as written: exact, with the manager's prefix, or the newest that `3.11` is the start of. */
function installed(version: string, root: string, { prefix }: Manager): string {
  const folders = entries(join(root, 'versions'));
  const plain = version.startsWith(prefix) ? version.slice(prefix.length) : version;
  const exact = [version, plain].find((name) => folders.includes(name));
  if (exact !== undefined) return exact;
  const matching = folders.filter((name) => name.startsWith(`${plain}.`) && /^[\d.]+$/.test(name));
  return matching.sort(byVersion).at(-1) ?? plain;
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Shims whose choice is made by a binary of the manager's own: it would have to be run to know. */
const opaque = [
  { manager: 'mise', real: /\/mise$/, fix: 'mise which' },
  { manager: 'volta', real: /\/volta-shim$/, fix: 'volta which' },
  { manager: 'asdf', real: /\/\.?asdf\/shims\/[^/]+$/, fix: 'asdf which' },
  { manager: 'snap', real: /^\/usr\/bin\/snap$/, fix: 'readlink -f /snap/NAME/current/bin/' },
] as const;

/**
 * Shims of managers that tell nobody but themselves what program they start.
 * @throws AssayError `environment` for each of them.
 */
export const opaqueShim: Family = (found) => {
  const name = basename(found.file);
  const match = opaque.find(({ manager, real }) => real.test(found.real) && manager !== name);
  if (match === undefined) return null;
  throw new AssayError({
    code: 'environment',
    message: `${found.file} is a shim of ${match.manager}, which the sandbox cannot start`,
    because: 'only the manager knows the program behind it, and it is not mounted',
    fix: `Put the folder of the real program first on PATH; \`${match.fix}${match.fix.endsWith('/') ? '' : ' '}${name}\` prints it`,
  });
};
