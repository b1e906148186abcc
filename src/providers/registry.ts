/**
 * The kinds of provider that are the same in every profile. A new one is a file and a line here; the
 * simulator is not among them, because each profile brings its own.
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

export const REGISTRY = { twilio: TWILIO, messagebird: MESSAGEBIRD, smpp: SMPP, ses: SES, smtp: SMTP } as const

type Registry = typeof REGISTRY
export type RegisteredKind = keyof Registry

/** A provider as it is set up, by its kind. */
export type RegisteredConfig<Kind extends RegisteredKind = RegisteredKind> = {
  [One in Kind]: Readonly<{ name: ProviderName; kind: One; settings: SettingsOf<One> }>
}[Kind]
type SettingsOf<Kind extends RegisteredKind> = Static<Registry[Kind]['settings']>

/** Whether it is to report to our webhook; those that have no such setting never do. */
export const reports = ({ kind, settings }: RegisteredConfig): boolean =>
  'callbacks' in REGISTRY[kind].settings.properties && !('callbacks' in settings && settings.callbacks === false)

/** What is suspicious about how it is set up, each with its name. */
export const warningsOf = <Kind extends RegisteredKind>({ name, kind, settings }: RegisteredConfig<Kind>) =>
  (WARNERS[kind].warnings?.(settings) ?? []).map((warning) => `provider ${name}: ${warning}`)

type Warners = { [Kind in RegisteredKind]: { warnings?: (settings: SettingsOf<Kind>) => readonly string[] } }
const WARNERS: Warners = REGISTRY

type Openers = {
  [Kind in RegisteredKind]: { open: (settings: SettingsOf<Kind>, place: ProviderContext) => OpenedProvider }
}
const OPENERS: Openers = REGISTRY

/** In this very thread. */
export const openHere = <Kind extends RegisteredKind>(
  { kind, settings }: RegisteredConfig<Kind>,
  place: ProviderContext,
): OpenedProvider => OPENERS[kind].open(settings, place)

/** As its kind wants it. */
export const openRegistered = (config: RegisteredConfig, place: ProviderContext): OpenedProvider =>
  place.sends && REGISTRY[config.kind].sendsInThread === true
    ? openInThread(config, place, openHere(config, { ...place, sends: false }))
    : openHere(config, place)
