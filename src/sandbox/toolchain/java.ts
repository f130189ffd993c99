import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { entries, isFolder, readText } from './files.ts';
import { examine, type Found, find, type Lookup } from './find.ts';
import { isSystem } from './prefix.ts';
import { type Family, merge, type Resolved } from './resolved.ts';

/** A Java runtime or kit, by the folder above its `bin`. */
export const java: Family = (found) => {
  const home = dirname(dirname(found.real));
  if (readText(join(home, 'release')) === null || examine(join(home, 'bin', 'java')) === null) return null;
  return {
    program: found.real,
    // Debian keeps the parts that an administrator may edit below /etc and links to them.
    prefixes: [...(isSystem(home) ? [] : [home]), ...configFolders(home)],
    spelled: [],
    path: [dirname(found.real)],
    env: { JAVA_HOME: home },
  };
};

function configFolders(home: string): string[] {
  const files = ['conf/net.properties', 'lib/security/default.policy'].flatMap((name) =>
    realIfThere(join(home, name)),
  );
  const tops = files.map((file) => /^\/etc\/[^/]*(?:java|jdk|jre|jvm)[^/]*/.exec(file)?.[0]);
  return [...new Set(tops.filter((folder) => folder !== undefined))];
}

function realIfThere(file: string): string[] {
  try {
    return [realpathSync(file)];
  } catch {
    return [];
  }
}

/** Maven, or a project's own `mvnw`: a Java kit and the local repository, never settings.xml. */
export const maven: Family = (found, lookup, resolve) => {
  const name = basename(found.file);
  if (name !== 'mvn' && name !== 'mvnw') return null;
  const settings = join(lookup.home, '.m2');
  const repository =
    /<localRepository>\s*([^<$]+?)\s*<\/localRepository>/.exec(
      readText(join(settings, 'settings.xml')) ?? '',
    )?.[1] ?? join(settings, 'repository');
  const own = name === 'mvn' ? installed(found, repository) : wrapped(found, { settings, repository });
  return merge(own, resolve(javaFor(lookup)));
};

function javaFor(lookup: Lookup): Found {
  const named = lookup.env.JAVA_HOME ? examine(join(lookup.env.JAVA_HOME, 'bin', 'java')) : null;
  const found = named ?? find('java', lookup);
  if (found !== null) return found;
  throw new AssayError({
    code: 'environment',
    message: 'Maven needs Java, and no `java` is on PATH',
    fix: 'Install a JDK, or point JAVA_HOME at one',
  });
}

function installed(found: Found, repository: string): Resolved {
  const home = dirname(dirname(found.real));
  const linked = [join(home, 'bin', 'm2.conf'), join(home, 'conf', 'logging')].flatMap(realIfThere);
  return {
    program: found.real,
    prefixes: [...(isSystem(home) ? [] : withoutSettings(home)), ...linked, ...existing(repository)],
    spelled: existing(repository),
    path: [dirname(found.real)],
    env: { ...offline, ...repositoryOptions({ repository, tail: hasTail(home) }) },
  };
}

/** `conf/settings.xml` of the installation may hold passwords of servers. */
function withoutSettings(home: string): string[] {
  return [
    ...entries(home).filter((name) => name !== 'conf'),
    ...entries(join(home, 'conf'))
      .filter((name) => !name.startsWith('settings'))
      .map((name) => join('conf', name)),
  ].map((name) => join(home, name));
}

function wrapped(found: Found, options: { settings: string; repository: string }): Resolved {
  const distributions = join(options.settings, 'wrapper', 'dists');
  return {
    program: found.file,
    prefixes: [...existing(distributions), ...existing(options.repository)],
    spelled: [...existing(distributions), ...existing(options.repository)],
    path: [],
    // Wrapped versions are rarely older than 3.9, and an older one ignores MAVEN_ARGS.
    env: { ...offline, MAVEN_USER_HOME: options.settings, ...repositoryOptions({ ...options, tail: false }) },
  };
}

const offline = { MAVEN_SKIP_RC: '1', MAVEN_ARGS: '--offline --batch-mode' };

/**
 * Since 3.9 a read-only repository can stand behind a writable one (`maven.repo.local.tail`); before, the
 * read-only one itself is used, which is enough for what was resolved before.
 */
function repositoryOptions(options: { repository: string; tail: boolean }): Record<string, string> {
  const { repository, tail } = options;
  if (!isFolder(repository)) return { MAVEN_OPTS: '-Dmaven.repo.local=/tmp/m2' };
  return tail
    ? {
        MAVEN_OPTS: `-Dmaven.repo.local=/tmp/m2 -Dmaven.repo.local.tail=${repository} -Dmaven.repo.local.tail.ignoreAvailability=true`,
      }
    : { MAVEN_OPTS: `-Dmaven.repo.local=${repository}` };
}

function hasTail(home: string): boolean {
  const core = entries(join(home, 'lib')).find((name) => /^maven-core-\d/.test(name)) ?? '';
  const [, major = 0, minor = 0] = /^maven-core-(\d+)\.(\d+)/.exec(core)?.map(Number) ?? [];
  return major > 3 || (major === 3 && minor >= 9);
}

function existing(folder: string): string[] {
  return isFolder(folder) ? [folder] : [];
}
