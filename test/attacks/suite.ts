import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Bench } from './bench.ts';
import type { Attack } from './context.ts';
import { possibleModes } from './modes.ts';
import { type Driver, startDriver } from './start-driver.ts';

/**
 * Makes each attack of a module a test in every mode that this machine and this user offer. `modes.test.ts` says which
 * those are.
 */
export function suite(module: string, attacks: Attack<Bench>[]): void {
  for (const mode of possibleModes()) {
    const here = attacks.filter((attack) => attack.modes?.includes(mode.name) ?? true);
    if (here.length === 0) continue;
    describe(mode.name, () => {
      let driver: Driver;
      beforeAll(async () => {
        driver = await startDriver(mode);
      });
      afterAll(async () => {
        await driver.stop();
      });
      for (const { number, title } of here) {
        it(`${number}. ${title}`, { timeout: 120_000 }, async () => {
          const reply = await driver.perform({ module, title });
          if (!reply.ok) throw new Error(reply.error);
        });
      }
    });
  }
}
