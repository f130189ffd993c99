import { attacks } from './cases/results.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/results.ts', import.meta.url), attacks);
