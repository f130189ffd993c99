export {
  type ProjectConfig,
  projectConfigSchema,
  type UserConfig,
  userConfigSchema,
} from './config-schema.ts';
export { readProjectConfig, readUserConfig, userConfigFile } from './read-config.ts';
export { type GivenOptions, modelSettingsOf, type Settled, settle } from './settle.ts';
