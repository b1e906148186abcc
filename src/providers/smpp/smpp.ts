/**
 * An SMSC over SMPP 3.4. It has no idempotency key and knows nothing of our attempts: it names every part it
 * takes and reports under that name, on any session and at any time, so the names are kept in a book.
 */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { millis } from '../../lib/time.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import { type OpenedProvider, type ProviderContext, type ProviderKind, smsOnly } from '../kind.ts'
import { forNow } from '../provider-errors.ts'
import type { BindDeps } from './bind.ts'
import { Binds, type BindsDeps } from './binds.ts'
import { Names } from './carrier-references.ts'
import { deliveries } from './deliveries.ts'
import { toSmppError } from './errors.ts'
import { handOver, type Results } from './handover.ts'
import { canonicalId } from './message-ids.ts'
import { namesOf, toOutcome } from './outcome.ts'
import { References } from './references.ts'
import { Settings, toOverrides } from './settings.ts'
import { type Style, toSubmits } from './submit.ts'

export const SMPP: ProviderKind<typeof Settings> = {
  description:
    'SMS by an SMSC over SMPP 3.4. It reports over the sessions that the processes that send keep with it, and has no webhook.',
  channels: ['sms'],
  settings: Settings,
  open: (settings, place) => openSmpp(settings, place),
}

const VERSION_3_4 = 0x34
const WAITS: BindDeps['waits'] = {
  lost: { firstMs: 1_000, mostMs: 60_000 },
  refused: { firstMs: 60_000, mostMs: 600_000 },
}

/** Does not wait for the SMSC: it is called until it answers. */
export function openSmpp(settings: Settings, place: ProviderContext, waits = WAITS): OpenedProvider {
  const names = new Names(place)
  const connector: Connector = {
    place,
    names,
    style: toStyle(settings),
    references: new References(Math.random),
    ...(place.sends ? { binds: openBinds(settings, place, waits) } : {}),
  }
  return {
    name: place.name,
    capabilities: { channels: ['sms'], reports: 'connection' },
    send: smsOnly((attempt, signal) => send(connector, attempt, signal)),
    readCallback: async () => 'forged',
    connections: () => connector.binds?.connections ?? { wanted: 0, up: 0 },
    hasRoom: () => connector.binds?.hasRoom ?? true,
    async [Symbol.asyncDispose]() {
      await connector.binds?.[Symbol.asyncDispose]()
      names[Symbol.dispose]()
    },
  }
}

type Connector = Readonly<{ place: ProviderContext; names: Names; style: Style; references: References; binds?: Binds }>

function openBinds(settings: Settings, place: ProviderContext, waits: BindDeps['waits']): Binds {
  const {
    host,
    port,
    tls = false,
    ca,
    binds = 1,
    window = 10,
    parts_per_second: rate,
    message_ids: ids = 'same',
  } = settings
  const { system_id, password, system_type = '', enquire_seconds = 30, response_seconds = 10 } = settings
  return new Binds({
    address: { host, port, tls, ...(ca === undefined ? {} : { ca }) },
    credentials: { system_id, password, system_type, interface_version: VERSION_3_4 },
    patience: {
      enquireMs: enquire_seconds * 1_000,
      answerMs: response_seconds * 1_000,
      drainMs: 5_000,
      unbindMs: 1_000,
    },
    waits,
    dice: Math.random,
    binds,
    window,
    ...(rate === undefined ? {} : { partsPerSecond: rate }),
    statuses: toOverrides(settings.statuses),
    toName: (id) => canonicalId(id, 'answer', ids),
    changed: teller(place),
    take: deliveries({ ...place, ids }),
  })
}

function toStyle(settings: Settings): Style {
  const { long_messages: longMessages = 'udh', alphabet = 'gsm7', service_type: serviceType = '' } = settings
  const { sender, source_ton: sourceTon, source_npi: sourceNpi, dest_ton: destTon, dest_npi: destNpi } = settings
  return {
    longMessages,
    alphabet,
    serviceType,
    ...(sender === undefined ? {} : { sender }),
    ...(sourceTon === undefined ? {} : { sourceTon }),
    ...(sourceNpi === undefined ? {} : { sourceNpi }),
    ...(destTon === undefined ? {} : { destTon }),
    ...(destNpi === undefined ? {} : { destNpi }),
  }
}

/** Tells how the sessions are, once for each change. */
function teller({ tell }: ProviderContext): BindsDeps['changed'] {
  let told = ''
  return (condition, connections) => {
    const status = condition.kind === 'refused' ? condition.status : 0
    const now = `${condition.kind} ${status}`
    if (now === told) return
    told = now
    switch (condition.kind) {
      case 'up':
        tell('info', 'a session with the SMSC is up', connections)
        return
      case 'lost':
        tell('warn', 'a session with the SMSC is down; it is called again', {
          ...connections,
          reason: condition.reason,
        })
        return
      case 'refused': {
        const { code, detail } = toSmppError(status) ?? {}
        tell('warn', 'the SMSC refuses a session; it is called again', { ...connections, status, code, detail })
      }
    }
  }
}

const NOT_CONNECTED: SendOutcome = {
  ...forNow('NOT_CONNECTED', 'this process keeps no session with the SMSC'),
  retryAfter: millis(0),
}
const ABORTED: SendOutcome = { ...forNow('ABORTED', 'the call was given up'), retryAfter: millis(0) }

async function send(connector: Connector, attempt: SmsAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { binds, names, place, style, references } = connector
  const submits = toSubmits(style, attempt, place.clock(), references)
  if ('kind' in submits) return submits
  if (binds === undefined) return NOT_CONNECTED
  if (signal.aborted) return ABORTED
  const { inTime, atLast } = handOver(binds, submits, signal)
  const results = await inTime
  const outcome = toOutcome(results, attempt.id)
  if (outcome.kind === 'accepted') await atMost(names.keep({ names: namesOf(results), ref: attempt.ref }), signal)
  if (outcome.kind === 'unknown') void atLast.then((last) => proveLate(connector, attempt, last))
  return outcome
}

/** The SMSC has it for sure; that its names are not stored yet makes nobody wait longer than he would. */
async function atMost(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  else signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([work, promise])
}

/** Answers that came too late for the caller prove that the SMSC has the message, or that it has no part of it. */
async function proveLate({ names, place }: Connector, { id, ref }: SmsAttempt, results: Results): Promise<void> {
  const taken = namesOf(results)
  if (taken.length === results.length) await names.keep({ names: taken, ref, isNews: true })
  if (results.some(({ kind }) => kind === 'taken' || kind === 'lost')) return
  const outcome = toOutcome(results, id)
  if (outcome.kind !== 'rejected' && outcome.kind !== 'deferred') return
  const { code, detail } = outcome
  try {
    await place.report({ ref, providerMessageId: id, state: 'refused', reportId: 'refused', code, detail })
  } catch (error) {
    place.tell('warn', 'a late refusal of the SMSC could not be stored', { reason: reasonOf(error) })
  }
}
