import { attacks } from './cases/memory.ts';
import { suite } from './suite.ts';

suite('./cases/memory.ts', attacks);
