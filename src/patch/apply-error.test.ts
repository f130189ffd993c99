import { expect, it } from 'vitest';
import { AssayError } from '../core/index.ts';
import { applyError } from './apply-error.ts';

it('tells what the operating system said without a path of this process only', () => {
  const denied = new Error("EACCES: permission denied, open '/proc/self/fd/27/.shop.py.assay'");
  const told = applyError(Object.assign(denied, { code: 'EACCES' }), {
    root: '/x',
    state: 'all is as it was',
  });
  expect(AssayError.is(told) && [told.message, told.because]).toEqual([
    'The patch could not be written to /x; all is as it was',
    'EACCES: permission denied',
  ]);
});
