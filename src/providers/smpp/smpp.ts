/**
 * An SMSC over SMPP 3.4. It has no idempotency key and does not return our reference: it assigns an id to every part
 * and sends receipts with that id, over any session and at any time, so the ids are stored as carrier references.
 */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { millis } from '../../lib/time.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import { type OpenedProvider, type ProviderContext, type ProviderKind, smsOnly } from '../kind.ts'
import { forNow } from '../provider-errors.ts'
import type { BindDeps } from './bind.ts'
import { Binds, type BindsDeps } from './binds.ts'
import { ReferenceRegistrar } from './carrier-references.ts'
import { ConcatenationReferences } from './concatenation-references.ts'
import { deliveries } from './deliveries.ts'
import { toSmppError } from './errors.ts'
import { handOver, type Results } from './handover.ts'
import { canonicalId } from './message-ids.ts'
import { messageIdsOf, toOutcome } from './outcome.ts'
import { Settings, toOverrides } from './settings.ts'
import { type Style, toSubmits } from './submit.ts'

export const SMPP: ProviderKind<typeof Settings> = {
  description:
    'SMS through an SMSC over SMPP 3.4. Receipts arrive over the sessions of the processes that send; there are no callbacks.',
  channels: ['sms'],
  settings: Settings,
  open: (settings, context) => openSmpp(settings, context),
}

const VERSION_3_4 = 0x34
const BACKOFF: BindDeps['backoff'] = {
  lost: { firstMs: 1_000, mostMs: 60_000 },
  refused: { firstMs: 60_000, mostMs: 600_000 },
}

/** Returns at once; the binds connect in the background. */
export function openSmpp(settings: Settings, context: ProviderContext, backoff = BACKOFF): OpenedProvider {
  const registrar = new ReferenceRegistrar(context)
  const binds = context.sends ? openBinds(settings, context, backoff) : undefined
  const references = new ConcatenationReferences(Math.random)
  const smpp: Smpp = { context, registrar, style: toStyle(settings), references, binds }
  return {
    name: context.name,
    capabilities: { channels: ['sms'], reports: 'connection' },
    send: smsOnly((attempt, signal) => send(smpp, attempt, signal)),
    readCallback: async () => 'forged',
    connections: () => binds?.connections ?? { wanted: 0, up: 0 },
    hasRoom: () => binds?.hasRoom ?? true,
    async [Symbol.asyncDispose]() {
      await binds?.[Symbol.asyncDispose]()
      registrar[Symbol.dispose]()
    },
  }
}

type Smpp = Readonly<{
  context: ProviderContext
  registrar: ReferenceRegistrar
  style: Style
  references: ConcatenationReferences
  binds: Binds | undefined
}>

function openBinds(settings: Settings, context: ProviderContext, backoff: BindDeps['backoff']): Binds {
  const { host, port, tls = false, ca, binds = 1, window = 10, message_ids: ids = 'same' } = settings
  const { system_id, password, system_type = '', enquire_seconds = 30, response_seconds = 10 } = settings
  return new Binds(
    omitUndefined({
      address: omitUndefined({ host, port, tls, ca }),
      credentials: { system_id, password, system_type, interface_version: VERSION_3_4 },
      timeouts: {
        enquireMs: enquire_seconds * 1_000,
        answerMs: response_seconds * 1_000,
        drainMs: 5_000,
        unbindMs: 1_000,
      },
      backoff,
      dice: Math.random,
      binds,
      window,
      partsPerSecond: settings.parts_per_second,
      statuses: toOverrides(settings.statuses),
      toMessageId: (id: string) => canonicalId(id, 'answer', ids),
      onChange: stateLogger(context),
      onDelivery: deliveries({ ...context, ids }),
    }),
  )
}

const toStyle = (settings: Settings): Style =>
  omitUndefined({
    longMessages: settings.long_messages ?? 'udh',
    alphabet: settings.alphabet ?? 'gsm7',
    serviceType: settings.service_type ?? '',
    sender: settings.sender,
    sourceTon: settings.source_ton,
    sourceNpi: settings.source_npi,
    destTon: settings.dest_ton,
    destNpi: settings.dest_npi,
  })

/** Logs each change of state once. */
function stateLogger({ log }: ProviderContext): BindsDeps['onChange'] {
  let last = ''
  return (state, connections) => {
    const status = state.kind === 'refused' ? state.status : 0
    const current = `${state.kind} ${status}`
    if (current === last) return
    last = current
    switch (state.kind) {
      case 'up':
        log('info', 'smpp: session up', connections)
        return
      case 'lost':
        log('warn', 'smpp: session lost, reconnecting', { ...connections, reason: state.reason })
        return
      case 'refused': {
        const { code, detail } = toSmppError(status) ?? {}
        log('warn', 'smpp: bind refused, retrying', { ...connections, status, code, detail })
      }
    }
  }
}

const NOT_CONNECTED: SendOutcome = {
  ...forNow('NOT_CONNECTED', 'this process has no session with the SMSC'),
  retryAfter: millis(0),
}
const ABORTED: SendOutcome = { ...forNow('ABORTED', 'the call was aborted'), retryAfter: millis(0) }

async function send(smpp: Smpp, attempt: SmsAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { binds, registrar, context, style, references } = smpp
  const submits = toSubmits(style, attempt, context.clock(), references)
  if ('kind' in submits) return submits
  if (binds === undefined) return NOT_CONNECTED
  if (signal.aborted) return ABORTED
  const { byDeadline, final } = handOver(binds, submits, signal)
  const results = await byDeadline
  const outcome = toOutcome(results, attempt.id)
  if (outcome.kind === 'accepted') {
    await untilAborted(registrar.register({ messageIds: messageIdsOf(results), ref: attempt.ref }), signal)
  }
  if (outcome.kind === 'unknown') void final.then((last) => reportLate(smpp, attempt, last))
  return outcome
}

/** The SMSC has the message, so a slow store must not delay the outcome beyond the caller's deadline. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  else signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([work, promise])
}

/** Late answers prove that the SMSC has the message, or that it has no part of it. */
async function reportLate({ registrar, context }: Smpp, { id, ref }: SmsAttempt, results: Results): Promise<void> {
  const messageIds = messageIdsOf(results)
  if (messageIds.length === results.length) await registrar.register({ messageIds, ref, isLate: true })
  if (results.some(({ kind }) => kind === 'accepted' || kind === 'unknown')) return
  const outcome = toOutcome(results, id)
  if (outcome.kind !== 'rejected' && outcome.kind !== 'deferred') return
  const { code, detail } = outcome
  try {
    await context.report({ ref, providerMessageId: id, state: 'refused', reportId: 'refused', code, detail })
  } catch (error) {
    context.log('warn', 'smpp: late rejection could not be stored', { reason: reasonOf(error) })
  }
}
