/** A gateway that sends and checks one-time codes. Records the codes it draws and the codes it compares. For tests only. */

import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import type { Channel, EmailContent, SmsContent } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { Clock } from '../../lib/clock.ts'
import { KeyedMutex } from '../../lib/keyed-mutex.ts'
import { type Instant, millis, seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import type { EventLog, Loaded } from '../../ports/event-log.ts'
import type { LimitRules } from '../../ports/limit-rules.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { IndexWriter, ProjectedIndex } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Renderer } from '../../ports/renderer.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Templates } from '../../ports/templates.ts'
import type { WebhookAttempts } from '../../ports/webhook-attempts.ts'
import type { Ids } from '../../ports/world.ts'
import { openGateway, START, TENANT, TRACE, UNDESCRIBED } from '../gateway.fixture.ts'
import { checkOtp } from './check-otp.ts'
import { type EndOtpDeps, endOtps } from './end-otp.ts'
import { type OtpRequest, type StartOtpDeps, startOtp } from './start-otp.ts'
import { OTP_TEMPLATES } from './write-otp.ts'

type Engine = Readonly<{
  log: EventLog
  queue: Queue
  index: ProjectedIndex
  indexWriter?: IndexWriter
  breakers: Breakers
  webhookAttempts: WebhookAttempts
  challenges: Challenges
  limiter: Limiter
  rules: LimitRules
  templates: Templates
}>

export type OtpWorld = Readonly<{
  openEngine: (options: { clock: Clock; blind: Sealer['blind'] }) => Engine
  ids: Ids
  hasher: CodeHasher
  drawCode: StartOtpDeps['drawCode']
}>

export const WANTED: OtpRequest = {
  tenantId: TENANT,
  accountId: 'shop' as AccountId,
  channel: 'sms',
  to: '+5511987654321' as PhoneNumber,
  ttl: seconds(300),
  maxAttempts: 3,
  idempotencyKey: 'login-1',
  traceId: TRACE,
}

/** A change of the channel must also change `to`. */
type Change = Partial<OtpRequest>
const toWanted = (change: Change): OtpRequest => ({ ...WANTED, ...change }) as OtpRequest

/** The same by email. */
export const BY_MAIL = { channel: 'email', to: 'Ann@example.com' as EmailAddress } as const

/** Replaces `{{ name }}` and supports no other Liquid syntax. */
const renderer: Renderer = {
  render: async ({ texts }, data) => {
    const fill = (text: string): string => text.replace(/{{ (\w+) }}/g, (_, name: string) => String(data[name] ?? ''))
    const parts = Object.entries(texts).map(([part, text]) => [part, fill(text)])
    return { kind: 'ok', texts: Object.fromEntries(parts) as TemplateTexts }
  },
  check: async () => ({ kind: 'ok' }),
}

/** A template for the one-time codes of a channel. */
export const toOtpTemplate = (channel: Channel, texts: TemplateTexts, locale = 'en') =>
  ({ tenantId: TENANT, name: OTP_TEMPLATES[channel], locale, channel, texts, createdAt: START }) as const

export function openOtpGateway(world: OtpWorld, changes: Partial<StartOtpDeps> = {}) {
  const { ids, openEngine } = world
  const blind: Sealer['blind'] = (tenantId, recipient) => `${tenantId} ${recipient}`
  let opened: Engine | undefined
  const gateway = openGateway({
    ids,
    openEngine: ({ clock }) => {
      opened = openEngine({ clock, blind })
      return opened
    },
  })
  if (opened === undefined) throw new Error('no engine was opened')

  const drawn: string[] = []
  const compared: string[] = []
  const hasher = notingHasher(world.hasher, compared)
  const turns = new KeyedMutex<string>()
  const drawCode: StartOtpDeps['drawCode'] = (shape) => {
    const code = world.drawCode(shape)
    drawn.push(code)
    return code
  }
  const deps: StartOtpDeps & EndOtpDeps = {
    ...opened,
    tenants: UNDESCRIBED,
    domains: { verified: () => new Map(), isLoaded: () => true },
    ...toRouting(gateway.deps),
    suppressions: { find: async () => [] },
    inspector: { inspect: async () => [] },
    renderer,
    defaultLocale: 'en',
    clock: gateway.clock,
    ids,
    blind,
    hasher,
    drawCode,
    inTurn: (key, act) => turns.run(key, act),
    otp: { limit: 5, window: seconds(600) },
    ...changes,
  }
  return {
    ...gateway,
    deps,
    drawn,
    compared,
    start: (wanted: Change = {}) => startOtp(deps, toWanted(wanted)),
    /** Starts a challenge and returns its code. */
    send: async (wanted: Change = {}) => {
      const { id, expiresAt } = await startOtp(deps, toWanted(wanted))
      const code = (await deps.log.load(id))?.content?.otp?.code
      if (code === undefined) throw new Error('the message carries no code')
      return { id, code, expiresAt }
    },
    bodyOf: async (id: MessageId): Promise<string> => toSms(await deps.log.load(id)).body,
    mailOf: async (id: MessageId): Promise<EmailContent> => toEmail(await deps.log.load(id)),
    check: (id: MessageId, code: string) => checkOtp(deps, TENANT, { id, code }),
    end: () => endOtps(deps),
    passTo: (at: Instant): void => gateway.pass(millis(at - gateway.clock())),
  }
}

const toRouting = ({ providers, routes }: Pick<StartOtpDeps, 'providers' | 'routes'>) => ({ providers, routes })

const notingHasher = (hasher: CodeHasher, compared: string[]): CodeHasher => ({
  ...hasher,
  matches: (ref, code, hash) => {
    compared.push(code)
    return hasher.matches(ref, code, hash)
  },
})

function toSms(loaded: Loaded | undefined): SmsContent {
  if (loaded?.content?.channel !== 'sms') throw new Error('this is no SMS')
  return loaded.content
}

function toEmail(loaded: Loaded | undefined): EmailContent {
  if (loaded?.content?.channel !== 'email') throw new Error('this is no mail')
  return loaded.content
}

/** Admits any number of comparisons. */
export const anyNumber: CodeHasher['reserve'] = () => ({ [Symbol.dispose]: () => undefined })

/** A six-digit code other than this one. */
export const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
