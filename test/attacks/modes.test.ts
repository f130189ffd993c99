import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Bench } from './bench.ts';
import { type Attack, modes } from './context.ts';
import { obstacle, possibleModes } from './modes.ts';

it('says in which modes the attacks run here, and why not in the others', () => {
  const lines = Object.values(modes).map(({ name }) => {
    const because = obstacle(name);
    return `${name}: ${because === null ? 'attacked' : `NOT attacked, because ${because}`}`;
  });
  process.stderr.write(`attack modes\n  ${lines.join('\n  ')}\n`);
  expect(possibleModes().length).toBeGreaterThan(0);
  expect(possibleModes().map(({ name }) => name)).toContain('rlimit-user');
  // Root can always run without control groups; with them wherever the kernel offers memory and pids.
  if (process.getuid?.() === 0) expect(obstacle('rlimit')).toBeNull();
});

/** The rows of the table of attacks that are the sandbox's; 27 to 32 are the lab's and the kernels'. */
const rows = [...Array.from({ length: 26 }, (_, index) => index + 1), 33, 34, 35, 36];

it('has an attack for every row, in every mode', async () => {
  const folder = path.join(import.meta.dirname, 'cases');
  const modules: { attacks: Attack<Bench>[] }[] = await Promise.all(
    readdirSync(folder).map((file) => import(path.join(folder, file))),
  );
  const attacks = modules.flatMap((module) => module.attacks);
  for (const mode of Object.values(modes)) {
    const covered = attacks.filter((attack) => attack.modes?.includes(mode.name) ?? true);
    expect(new Set(covered.map(({ number }) => number)), mode.name).toEqual(new Set(rows));
  }
  const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'));
  expect(tests).toEqual(
    expect.arrayContaining(readdirSync(folder).map((file) => file.replace('.ts', '.test.ts'))),
  );
});
