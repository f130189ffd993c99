import { attacks } from './cases/lifecycle.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/lifecycle.ts', import.meta.url), attacks);
