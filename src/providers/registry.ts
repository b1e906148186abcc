/**
 * The kinds of provider that every profile has. To add a provider, create a folder that exports a `ProviderKind`, and
 * add one line to `REGISTRY`. The simulator is not listed, because each profile brings its own.
 */
import type { Static } from 'typebox'
import type { ProviderName } from '../domain/ids.ts'
import type { OpenedProvider, ProviderContext } from './kind.ts'
import { MESSAGEBIRD } from './messagebird/messagebird.ts'
import { SES } from './ses/ses.ts'
import { SMPP } from './smpp/smpp.ts'
import { SMTP } from './smtp/smtp.ts'
import { TWILIO } from './twilio/twilio.ts'
import { openInThread } from './worker-thread/provider.ts'

export const REGISTRY = {
  twilio: TWILIO,
  messagebird: MESSAGEBIRD,
  smpp: SMPP,
  ses: SES,
  smtp: SMTP,
} as const

type Registry = typeof REGISTRY
export type RegisteredKind = keyof Registry

/** A configured provider, by its kind. */
export type RegisteredConfig<Kind extends RegisteredKind = RegisteredKind> = {
  [One in Kind]: Readonly<{ name: ProviderName; kind: One; settings: SettingsOf<One> }>
}[Kind]
type SettingsOf<Kind extends RegisteredKind> = Static<Registry[Kind]['settings']>

/** Whether it sends callbacks; kinds without the setting `callbacks` never do. */
export const reports = ({ kind, settings }: RegisteredConfig): boolean =>
  'callbacks' in REGISTRY[kind].settings.properties && !('callbacks' in settings && settings.callbacks === false)

/** Warnings about its settings, prefixed with its name. */
export const warningsOf = <Kind extends RegisteredKind>({ name, kind, settings }: RegisteredConfig<Kind>) =>
  (KINDS[kind].warnings?.(settings) ?? []).map((warning) => `provider ${name}: ${warning}`)

type Kinds = {
  [Kind in RegisteredKind]: {
    warnings?: (settings: SettingsOf<Kind>) => readonly string[]
    open: (settings: SettingsOf<Kind>, context: ProviderContext) => OpenedProvider
  }
}
/** The registry under a type that lets a generic kind be called with its own settings. */
const KINDS: Kinds = REGISTRY

/** Opens the provider in the current thread. */
export const openHere = <Kind extends RegisteredKind>(
  { kind, settings }: RegisteredConfig<Kind>,
  context: ProviderContext,
): OpenedProvider => KINDS[kind].open(settings, context)

/** Opens the provider, in its own worker thread if its kind asks for one. */
export const openRegistered = (config: RegisteredConfig, context: ProviderContext): OpenedProvider =>
  context.sends && REGISTRY[config.kind].sendsInThread === true
    ? openInThread(config, context, openHere(config, { ...context, sends: false }))
    : openHere(config, context)
