#!/usr/bin/env node
import { cacheCompiled } from './compile-cache.ts';
import { endOnInterrupt } from './early-interrupt.ts';

/** How long what a stopped command has left open may hold the process. */
const lingerMs = 5_000;

const release = endOnInterrupt({ json: process.argv.includes('--json') });
cacheCompiled(process.env);
// Loading the rest takes most of the start: both of the above come before it.
const { runProgram } = await import('./run-program.ts');
process.exitCode = await runProgram(process.argv, release);
// Not at once: what was printed must reach its reader first.
setTimeout(() => process.exit(), lingerMs).unref();
