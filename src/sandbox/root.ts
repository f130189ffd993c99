import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { posix } from 'node:path';

/** One piece of the built root that comes from the host. */
export type RootPart = { kind: 'ro'; path: string } | { kind: 'symlink'; path: string; target: string };

/** Top folders that are links into /usr on most systems and folders on some. */
const topFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * What programs need of /etc: the linker, alternatives, time zone, certificates, fonts, language run times. No
 * settings that may hold credentials (so neither /etc/ssl/private nor Maven's settings.xml), no host names or users.
 */
const etcEntries = [
  '/etc/ld.so.cache',
  '/etc/ld-musl-x86_64.path',
  '/etc/ld-musl-aarch64.path',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/fonts',
  '/etc/mime.types',
  '/etc/services',
  '/etc/perl',
  '/etc/maven/m2.conf',
  '/etc/maven/logging',
];

/** The parts of the host that every sandbox sees, as far as they exist here. */
export function rootParts(): RootPart[] {
  const java = readdirSync('/etc').filter((name) => /^java(-\d+-openjdk)?$/.test(name));
  const paths = [...topFolders, ...etcEntries, ...java.map((name) => `/etc/${name}`)];
  const parts = paths.flatMap((path) => part(path) ?? []);
  return [{ kind: 'ro', path: '/usr' }, ...parts];
}

function part(path: string): RootPart | null {
  const stats = lstat(path);
  if (stats === null) return null;
  if (!stats.isSymbolicLink()) return { kind: 'ro', path };
  const target = readlinkSync(path);
  // A link that leads out of /usr would dangle inside, so what it leads to is mounted in its place.
  const real = posix.resolve(posix.dirname(path), target);
  return real.startsWith('/usr/') ? { kind: 'symlink', path, target } : { kind: 'ro', path };
}

function lstat(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
