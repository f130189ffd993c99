import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox } from './index.ts';
import { resolveToolchain } from './toolchain.ts';
import type { Limits } from './types.ts';

// The toolchains this machine has, each at work in a real sandbox. Python and Node are always there.

const mega = 1024 * 1024;
const limits: Limits = {
  wallMs: 55_000,
  memoryBytes: 2_048 * mega,
  pids: 256,
  cpus: 2,
  output: { maxBytes: mega, onExcess: 'truncate' },
  tmpBytes: 512 * mega,
  fileBytes: 256 * mega,
  openFiles: 1_024,
};

const files: Record<string, string> = {
  'hello.py': 'import ssl, sqlite3, sys\nprint("hello", sys.prefix)\n',
  'home.py': `import os\nprint(*(os.path.join(at, name) for at, _, names in os.walk(${JSON.stringify(homedir())}) for name in names), sep="\\n")\n`,
  'hello.mjs': 'console.log("hello", process.version);\n',
  'hello.c': '#include <stdio.h>\nint main(void) { puts("hello"); }\n',
  'hello.go': 'package main\n\nfunc main() { print("hello") }\n',
  'go.mod': 'module hello\n\ngo 1.20\n',
  'Hello.java':
    'public class Hello { public static void main(String[] a) { System.out.println("hello"); } }\n',
  'crate/Cargo.toml': '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n',
  'crate/src/main.rs': 'fn main() { println!("hello"); }\n',
};

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'assay-hello-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
});
afterAll(() => rmSync(project, { recursive: true }));

const sandbox = createSandbox();

/** Runs a program in a copy of the project. */
async function inSandbox(program: string, args: string[]) {
  const toolchain = await resolveToolchain({ program, cwd: project });
  const { outcome } = await sandbox.run({
    command: { argv: [toolchain.program, ...args], cwd: project, env: {} },
    policy: {
      mounts: [
        { kind: 'tmpfs', target: project, sizeBytes: 64 * mega },
        { kind: 'fill', source: project, target: project },
      ],
      toolchains: [toolchain],
      // Toolchains are the question here, also where the machine holds no limits.
      strict: false,
    },
    limits,
  });
  return { ...outcome, toolchain, all: outcome.stdout.head + outcome.stderr.head };
}

type Case = { program: string; args: string[]; says: RegExp };

const venv = join(import.meta.dirname, '../../.venv/bin');
const crate = ['--quiet', '--manifest-path', 'crate/Cargo.toml'];
const everywhere: Case[] = [
  { program: process.execPath, args: ['hello.mjs'], says: /^hello v\d+\.\d+\.\d+\n$/ },
  { program: 'python3', args: ['hello.py'], says: /^hello \/.*\n$/ },
];
const elsewhere: Case[] = [
  { program: 'npm', args: ['--version'], says: /^\d+\.\d+\.\d+\n$/ },
  {
    program: join(venv, 'python'),
    args: ['-c', 'import pytest; print(pytest.__file__)'],
    says: /\/\.venv\/lib\//,
  },
  { program: join(venv, 'pytest'), args: ['--version'], says: /^pytest \d/ },
  { program: 'gcc', args: ['-o', '/tmp/hello', 'hello.c'], says: /^$/ },
  { program: 'go', args: ['build', '-o', '/tmp/hello', 'hello.go'], says: /^$/ },
  { program: 'rustc', args: ['-o', '/tmp/hello', 'crate/src/main.rs'], says: /^$/ },
  { program: 'cargo', args: ['run', ...crate], says: /^hello\n$/ },
  { program: 'java', args: ['Hello.java'], says: /^hello\n$/ },
  { program: 'mvn', args: ['--version'], says: /Apache Maven/ },
];
const installed = await Promise.all(
  elsewhere.map(async (program) => ((await isInstalled(program)) ? [program] : [])),
);

async function isInstalled({ program }: Case): Promise<boolean> {
  return resolveToolchain({ program }).then(
    () => true,
    () => false,
  );
}

describe('in a sandbox', () => {
  it.each([...everywhere, ...installed.flat()])('$program runs', async ({ program, args, says }) => {
    const { reason, exitCode, all } = await inSandbox(program, args);
    expect(all).toMatch(says);
    expect([reason, exitCode]).toEqual(['exited', 0]);
  });

  it('Python sees no file of the home folder but its own', async () => {
    const { toolchain, exitCode, stdout } = await inSandbox('python3', ['home.py']);
    const others = stdout.head
      .split('\n')
      .filter((path) => path !== '' && !toolchain.prefixes.some((prefix) => path.startsWith(prefix)));
    expect(others.slice(0, 5)).toEqual([]);
    expect(exitCode).toBe(0);
  });
});
