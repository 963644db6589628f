export type { RecordedRequest, RequestLog } from './control/request-log.ts';
export { type IcsImport, importIcs } from './ics/import-ics.ts';
export { type IcsReading, readIcs } from './ics/read-ics.ts';
export type { HostClock } from './kernel/clock.ts';
export type { ArmedFault, FaultBook } from './kernel/fault-book.ts';
export {
  type CalDavSandbox,
  ControlError,
  type Fault,
  type IcsCalendar,
  type IcsEvent,
  type MailboxSeed,
  type NotificationFaults,
  type OutgoingNotification,
  type ProviderName,
  type ProviderSandbox,
  type SandboxClock,
  type SandboxServer,
} from './kernel/kernel.ts';
export type { NotificationQueue, NotificationRecord } from './kernel/notification-queue.ts';
export type { SentMail } from './kernel/sent-mail.ts';
export { fileState, type SandboxState } from './kernel/state.ts';
export type { Listening } from './listen.ts';
export { LIVE_VALIDATION, type LiveValidation } from './live-validation.ts';
export { ConnectionReset } from './provider-front.ts';
export type { RealTime } from './runtime/real-time.ts';
export { createSandbox, type SandboxOptions } from './sandbox.ts';
export type { Sandbox } from './sandbox-interface.ts';
export { type DemoMailboxes, seedDemo } from './seed.ts';
