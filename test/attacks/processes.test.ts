import { attacks } from './cases/processes.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/processes.ts', import.meta.url), attacks);
