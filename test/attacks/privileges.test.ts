import { attacks } from './cases/privileges.ts';
import { suite } from './suite.ts';

suite('./cases/privileges.ts', attacks);
