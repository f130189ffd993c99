import { plantsOf } from './cases/plants.ts';
import { suiteOfPlants } from './suite.ts';

suiteOfPlants('pytest', plantsOf('pytest'));
suiteOfPlants('unittest', plantsOf('unittest'));
suiteOfPlants('node-test', plantsOf('node-test'));
