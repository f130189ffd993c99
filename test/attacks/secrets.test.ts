import { attacks } from './cases/secrets.ts';
import { suite } from './suite.ts';

suite('./cases/secrets.ts', attacks);
