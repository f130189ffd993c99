import { attacks } from './cases/disk.ts';
import { suite } from './suite.ts';

suite('./cases/disk.ts', attacks);
