import { describe, expect, it } from 'vitest';
import { modes } from './context.ts';
import { obstacle, possibleModes } from './modes.ts';

describe('the attacks are made', () => {
  for (const { name } of Object.values(modes)) {
    const because = obstacle(name);
    if (because === null) {
      it(`in the mode ${name}`, () => expect(possibleModes().map((mode) => mode.name)).toContain(name));
    } else {
      it(`NOT in the mode ${name}, because ${because}`, ({ task }) => {
        task.meta.notTried = `attacks in the mode ${name}, because ${because}`;
        expect(possibleModes().map((mode) => mode.name)).not.toContain(name);
      });
    }
  }

  it('in one mode at least, whoever runs the suite', () => {
    expect(possibleModes().length).toBeGreaterThan(0);
    // Anybody can run without control groups; with them wherever the kernel offers memory and pids.
    if (process.getuid?.() === 0) expect(obstacle('rlimit')).toBeNull();
    else expect(obstacle('rlimit-user')).toBeNull();
  });
});
