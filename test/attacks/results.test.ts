import { attacks } from './cases/results.ts';
import { suite } from './suite.ts';

suite('./cases/results.ts', attacks);
