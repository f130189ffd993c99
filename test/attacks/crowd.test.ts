import { attacks } from './cases/crowd.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/crowd.ts', import.meta.url), attacks);
