import { attacks } from './cases/protected.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/protected.ts', import.meta.url), attacks);
