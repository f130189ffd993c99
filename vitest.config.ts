import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'script/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['test/machine/setup.ts'],
    reporters: ['default', './test/machine/not-tried.ts'],
    // Real sandboxes and interpreters are started by many files: two workers keep a 2-core machine honest.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
