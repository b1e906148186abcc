/**
 * What is counted for bills: a message on the day it was accepted, and again on the day a provider took it, each time if
 * several did. Days are in UTC.
 */
import type { Brand } from '../../lib/brand.ts'
import { type Instant, instant, parseInstant, toIso } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import type { MessageEvent } from './events.ts'

/** Days since the epoch. */
export type Day = Brand<number, 'Day'>

const DAY_MS = 86_400_000

export const dayOf = (at: Instant): Day => Math.floor(at / DAY_MS) as Day
export const startOf = (day: Day): Instant => instant(day * DAY_MS)
export const toIsoDay = (day: Day): string => toIso(startOf(day)).slice(0, 10)

/** `2030-01-31`; undefined when invalid. */
export function parseDay(text: string): Day | undefined {
  const start = parseInstant(`${text}T00:00:00Z`)
  return start === undefined ? undefined : dayOf(start)
}

/** A provider has taken the message. Attempts are numbered over the whole life of a message. */
export type Handoff = Readonly<{ attempt: number; at: Instant; provider?: ProviderName }>

/** Undefined for other events. */
export const toHandoff = ({ fact, attempt, at, state }: MessageEvent): Handoff | undefined =>
  fact.kind === 'HandoffAccepted' ? { attempt, at, ...(state.provider && { provider: state.provider }) } : undefined
