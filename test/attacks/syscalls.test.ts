import { attacks } from './cases/syscalls.ts';
import { suite } from './suite.ts';

suite('./cases/syscalls.ts', attacks);
