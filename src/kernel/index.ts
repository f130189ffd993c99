export { e2bCapabilities } from './e2b/capabilities.ts';
export { type OpenE2bOptions, openE2bKernel } from './e2b/open-e2b-kernel.ts';
export { connectionOf } from './e2b/sdk.ts';
export * from './evidence/index.ts';
export { type FakeKernel, type FakeKernelOptions, type FakeReply, fakeKernel } from './fake-kernel.ts';
export { findKernelSpec } from './jupyter/kernelspec.ts';
export { type OpenJupyterOptions, openJupyterKernel } from './jupyter/open-jupyter-kernel.ts';
export { type KernelPool, kernelPool } from './pool.ts';
export type * from './types.ts';
