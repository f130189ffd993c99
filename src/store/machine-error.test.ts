import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineError } from './machine-error.ts';

function thrown(operation: () => void): unknown {
  try {
    operation();
  } catch (error) {
    return error;
  }
  throw new Error('the operation did not fail');
}

describe('machineError', () => {
  it('blames the disk for a full disk', () => {
    const error = machineError(thrown(() => writeFileSync('/dev/full', 'x')));
    expect(error).toMatchObject({
      code: 'environment',
      message: 'The disk is full',
      because: expect.stringContaining('ENOSPC'),
      fix: expect.stringContaining('assay runs prune'),
    });
  });

  it('blames the machine for nothing else', () => {
    expect(machineError(thrown(() => readFileSync('/no/such/file')))).toBeNull();
    expect(machineError(new Error('ENOSPC'))).toBeNull();
    expect(machineError('ENOSPC')).toBeNull();
  });
});
