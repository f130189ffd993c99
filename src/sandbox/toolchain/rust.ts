import { machine } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { isFolder, readText } from './files.ts';
import { examine, type Found, type Lookup } from './find.ts';
import { isSystem } from './prefix.ts';
import type { Family, Resolved } from './resolved.ts';

const programs = ['cargo', 'rustc', 'rustdoc', 'rustfmt', 'cargo-clippy', 'cargo-fmt', 'clippy-driver'];

/**
 * Rust: the toolchain folder that rustup's proxy would choose (rustup book, "Overrides"), or the system's. Of
 * CARGO_HOME only the downloaded crates, never config or credentials.
 */
export const rust: Family = (found, lookup) => {
  const name = basename(found.file);
  if (basename(found.real) === 'rustup' && name !== 'rustup')
    return withCrates(chosenToolchain(name, lookup), lookup);
  if (!programs.includes(name)) return null;
  return withCrates(found, lookup);
};

function withCrates(found: Found, lookup: Lookup): Resolved {
  const cargoHome = lookup.env.CARGO_HOME || join(lookup.home, '.cargo');
  const crates = ['registry', 'git'].map((name) => join(cargoHome, name)).filter(isFolder);
  const bin = dirname(found.real);
  return {
    program: join(bin, basename(found.file)),
    prefixes: [...(isSystem(bin) ? [] : [dirname(bin)]), ...crates],
    spelled: crates,
    path: bin === '/usr/bin' ? [] : [bin],
    env: { CARGO_NET_OFFLINE: 'true', CARGO_HOME: crates.length > 0 ? cargoHome : '/tmp/cargo' },
  };
}

function chosenToolchain(name: string, lookup: Lookup): Found {
  const rustupHome = lookup.env.RUSTUP_HOME || join(lookup.home, '.rustup');
  const settings = readText(join(rustupHome, 'settings.toml')) ?? '';
  const choice =
    lookup.env.RUSTUP_TOOLCHAIN ||
    override(settings, lookup.cwd) ||
    tomlString(settings, 'default_toolchain');
  const folders = choice === null ? [] : toolchainFolders({ choice, rustupHome, settings });
  const found = folders.filter(isToolchain).map((folder) => examine(join(folder, 'bin', name)));
  const first = found.find((candidate) => candidate !== null);
  if (first === undefined) throw notInstalled(name, choice);
  return { ...first, file: join(dirname(first.real), name) };
}

/** Nearest folder first; in each, what `rustup override set` wrote goes before the project's own file. */
function override(settings: string, cwd: string): string | null {
  const overrides = settings.split(/^\[overrides\]$/m)[1] ?? '';
  for (let at = cwd; ; at = dirname(at)) {
    const set = tomlString(overrides, at);
    if (set !== null) return set;
    const text = readText(join(at, 'rust-toolchain')) ?? readText(join(at, 'rust-toolchain.toml'));
    if (text !== null) return channelOf(text, at);
    if (at === dirname(at)) return null;
  }
}

function channelOf(text: string, folder: string): string | null {
  if (!text.includes('[toolchain]')) return text.trim();
  const path = tomlString(text, 'path');
  return path === null ? tomlString(text, 'channel') : join(isAbsolute(path) ? '/' : folder, path);
}

function toolchainFolders(options: { choice: string; rustupHome: string; settings: string }): string[] {
  const { choice, rustupHome, settings } = options;
  if (choice.includes('/')) return isAbsolute(choice) ? [choice] : [];
  if (choice === '..' || choice === '.') return [];
  const host = tomlString(settings, 'default_host_triple') ?? `${machine()}-unknown-linux-gnu`;
  return [choice, `${choice}-${host}`].map((folder) => join(rustupHome, 'toolchains', folder));
}

/** A project's rust-toolchain.toml may name any path: only what is a toolchain is taken for one. */
function isToolchain(folder: string): boolean {
  return isFolder(join(folder, 'lib', 'rustlib')) && examine(join(folder, 'bin', 'rustc')) !== null;
}

/** The value of a line `key = "value"`, the key bare or quoted. Enough TOML for rustup's two flat files. */
function tomlString(text: string, key: string): string | null {
  const quoted = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^\\s*(?:"${quoted}"|${quoted})\\s*=\\s*["']([^"']*)["']`, 'm').exec(text)?.[1] ?? null;
}

function notInstalled(name: string, choice: string | null): AssayError {
  return new AssayError({
    code: 'environment',
    message: `rustup has no ${name} for the toolchain ${choice ?? '(none is the default)'}`,
    because: 'the project or the environment asks for a toolchain that is not installed here',
    fix: choice === null ? 'Run `rustup default stable`' : `Run \`rustup toolchain install ${choice}\``,
  });
}
