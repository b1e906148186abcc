/** What the package exports. */
export { type ClientErrorCode, PomboError, WaitError, WebhookVerificationError } from './errors.ts'
export type { EventStream, PomboEvent, PomboEventOf, StreamOptions } from './events.ts'
export type * from './generated/types.ts'
export type { WaitOptions } from './messages.ts'
export type { Pages } from './pages.ts'
export { Pombo, type PomboOptions, type RawCall } from './pombo.ts'
export type { CallOptions } from './transport.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.ts'
