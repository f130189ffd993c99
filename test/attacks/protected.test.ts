import { attacks } from './cases/protected.ts';
import { suite } from './suite.ts';

suite('./cases/protected.ts', attacks);
