export { type FakeKernel, type FakeKernelOptions, type FakeReply, fakeKernel } from './fake-kernel.ts';
export { type OpenJupyterOptions, openJupyterKernel } from './jupyter/open-jupyter-kernel.ts';
export { OutputCollector, type OutputCollectorOptions } from './output-collector.ts';
export type * from './types.ts';
