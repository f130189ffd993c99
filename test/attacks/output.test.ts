import { attacks } from './cases/output.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/output.ts', import.meta.url), attacks);
