import type { KernelInfo } from '../types.ts';
import type { KernelProcess } from './kernel-process.ts';
import type { KernelSpec } from './kernelspec.ts';
import { recordOf, stringOf } from './message.ts';

/** What a kernel says of itself, and what its description says where it does not. */
export function infoOf(spec: KernelSpec, process: KernelProcess): KernelInfo {
  const { reply } = process;
  const language = recordOf(reply.language_info) ?? {};
  return {
    name: spec.name,
    language: stringOf(language.name) || spec.language,
    languageVersion: stringOf(language.version),
    implementation: `${stringOf(reply.implementation)} ${stringOf(reply.implementation_version)}`.trim(),
    runtime: 'jupyter',
    enforcement: process.enforcement,
  };
}
