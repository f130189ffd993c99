import { attacks } from './cases/memory.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/memory.ts', import.meta.url), attacks);
