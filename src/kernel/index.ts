export { type FakeKernel, type FakeKernelOptions, type FakeReply, fakeKernel } from './fake-kernel.ts';
export type * from './types.ts';
