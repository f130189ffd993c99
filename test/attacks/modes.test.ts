import { expect, it } from 'vitest';
import { modes } from './context.ts';
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
