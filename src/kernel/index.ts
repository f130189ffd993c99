export { e2bCapabilities } from './e2b/capabilities.ts';
export { type OpenE2bOptions, openE2bKernel } from './e2b/open-e2b-kernel.ts';
export * from './evidence/index.ts';
export { type FakeKernel, type FakeKernelOptions, type FakeReply, fakeKernel } from './fake-kernel.ts';
export { type OpenJupyterOptions, openJupyterKernel } from './jupyter/open-jupyter-kernel.ts';
export { OutputCollector, type OutputCollectorOptions } from './output-collector.ts';
export { type KernelPool, kernelPool } from './pool.ts';
export type * from './types.ts';
