import { attacks } from './cases/output.ts';
import { suite } from './suite.ts';

suite('./cases/output.ts', attacks);
