import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Ends a run with one line that says what could not be tried on this machine as this user, if anything. */
export default class NotTried implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const { refusal } = this.#vitest?.getRootProject().getProvidedContext() ?? {};
    const parts = [
      ...(typeof refusal === 'string' ? [`strict sandboxes, for ${refusal}`] : []),
      ...counted(modules.flatMap((module) => [...module.children.allTests()])),
    ];
    if (parts.length === 0) return;
    this.#vitest?.logger.log(`Not tried here as uid ${process.getuid?.()}: ${parts.join(' · ')}\n`);
  }
}

function counted(tests: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const { notTried } = test.meta();
    if (notTried !== undefined) counts.set(notTried, (counts.get(notTried) ?? 0) + 1);
  }
  return [...counts].map(([needed, count]) => `${needed} (${count} ${count === 1 ? 'test' : 'tests'})`);
}
