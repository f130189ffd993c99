import { attacks } from './cases/disk.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/disk.ts', import.meta.url), attacks);
