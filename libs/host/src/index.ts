export { Copy, type CopyOptions, type CopyStore } from './copy';
export { boundedBytes } from './bounded-bytes';
export { packageVersion } from './package-version';
export { runService } from './run-service';
export { startWork, type Background } from './start-work';
export type { DatabaseHost, Host, ReadyMessage, Running, ServiceOptions } from './run-service';
export {
  choiceSetting,
  describeSettings,
  flagSetting,
  integerSetting,
  jsonSetting,
  optionalSetting,
  parseSettings,
  readSettings,
  SettingsError,
  textSetting,
  urlSetting,
} from './settings';
export type { Setting, SettingDescription, Settings, SettingsShape } from './settings';
export {
  brokerAccess,
  brokerSettings,
  commonSettings,
  databaseOf,
  bodySettings,
  idSettings,
  operatorSettings,
  operatorTokens,
  publicSettings,
  sealingSettings,
  storeSettings,
} from './shared-settings';
export type { CommonSettings } from './shared-settings';
export { createLogger } from './logger';
export type { LoggerOptions, LogLevel } from './logger';
export {
  instanceReported,
  instanceReportEveryMs,
  reportInstance,
  WorkTally,
  type InstanceReport,
  type InstanceReporting,
} from './instance-reports';
export { createMetrics } from './metrics';
export type { MetricDeclaration, Metrics } from './metrics';
export { traceOf } from './tracing';
export type { TraceIds } from './tracing';
export type { Check } from './health';
export { SealError, sealer } from './sealing';
export type { Sealer } from './sealing';
