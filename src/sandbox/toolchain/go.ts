import { basename, dirname, join } from 'node:path';
import { entries, isFolder, readText } from './files.ts';
import type { Lookup } from './find.ts';
import type { Family } from './resolved.ts';

/** Go: the distribution's folder (GOROOT) and the module cache, offline. */
export const go: Family = (found, lookup) => {
  if (!['go', 'gofmt'].includes(basename(found.real))) return null;
  const root = dirname(dirname(found.real));
  if (!isFolder(join(root, 'src', 'runtime'))) return null;
  const setting = goSettings(lookup);
  const gopath = setting('GOPATH')?.split(':')[0] ?? join(lookup.home, 'go');
  const cache = setting('GOMODCACHE') ?? join(gopath, 'pkg', 'mod');
  return {
    program: found.real,
    prefixes: [root, ...moduleCache(cache)],
    spelled: isFolder(cache) ? [cache] : [],
    path: [dirname(found.real)],
    env: {
      // Settings come from here alone, not from a file in the home folder.
      GOENV: 'off',
      GOPROXY: 'off',
      GOSUMDB: 'off',
      GOFLAGS: goFlags(setting('GOFLAGS') ?? '', lookup),
      GOPATH: '/tmp/go',
      GOCACHE: '/tmp/go-build',
      GOMODCACHE: isFolder(cache) ? cache : '/tmp/go/pkg/mod',
    },
  };
};

/** A variable as the go command sees it: the environment, then the file that `go env -w` writes. */
function goSettings({ env, home }: Lookup): (name: string) => string | undefined {
  const file = env.GOENV ?? join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'go', 'env');
  const text = file === 'off' ? null : readText(file);
  const written = new Map(
    (text ?? '').split('\n').map((line) => [line.split('=')[0] ?? '', afterEquals(line)]),
  );
  return (name) => env[name] || written.get(name) || undefined;
}

function afterEquals(line: string): string {
  return line.slice(line.indexOf('=') + 1);
}

/** Everything but `cache/vcs`, whose clones may carry credentials in their remote's address. */
function moduleCache(folder: string): string[] {
  if (!isFolder(join(folder, 'cache', 'vcs'))) return [folder];
  return [
    ...entries(folder).filter((name) => name !== 'cache'),
    ...entries(join(folder, 'cache'))
      .filter((name) => name !== 'vcs')
      .map((name) => join('cache', name)),
  ].map((name) => join(folder, name));
}

/** With no network go.mod may have to be completed from the cache; a vendor folder and `.git` speak for themselves. */
function goFlags(given: string, { cwd }: Lookup): string {
  const flags = given.split(/\s+/).filter(Boolean);
  if (!flags.some((flag) => /^-?-mod=/.test(flag)) && !isFolder(join(cwd, 'vendor'))) flags.push('-mod=mod');
  if (!flags.some((flag) => /^-?-buildvcs=/.test(flag))) flags.push('-buildvcs=false');
  return flags.join(' ');
}
