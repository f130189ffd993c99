import { attacks } from './cases/syscalls.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/syscalls.ts', import.meta.url), attacks);
