/** A gateway that sends and checks one-time codes, for tests: the codes it draws are kept, and counted is how often one is compared. */
import type { AccountId, MessageId } from '../domain/ids.ts'
import { toBuiltInText } from '../domain/otp-texts.ts'
import type { PhoneNumber } from '../domain/phone-number.ts'
import { type Instant, millis, seconds } from '../domain/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Challenges } from '../ports/challenges.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Queue } from '../ports/queue.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Clock, Ids } from '../ports/world.ts'
import { checkOtp } from './check-otp.ts'
import { type EndOtpDeps, endOtps } from './end-otp.ts'
import { openGateway, TENANT, TRACE } from './gateway.fixture.ts'
import { type StartOtpDeps, startOtp, type WantedOtp } from './start-otp.ts'

type Engine = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  breakers: Breakers
  challenges: Challenges
  limiter: Limiter
  rules: LimitRules
}>

export type OtpWorld = Readonly<{
  openEngine: (options: { clock: Clock; blind: Sealer['blind'] }) => Engine
  ids: Ids
  hasher: CodeHasher
  drawCode: () => string
}>

export const WANTED: WantedOtp = {
  tenantId: TENANT,
  accountId: 'shop' as AccountId,
  to: '+5511987654321' as PhoneNumber,
  ttl: seconds(300),
  maxAttempts: 3,
  idempotencyKey: 'login-1',
  traceId: TRACE,
}

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
  const hasher: CodeHasher = {
    hash: world.hasher.hash,
    matches: (id, code, hash) => {
      compared.push(code)
      return world.hasher.matches(id, code, hash)
    },
  }
  const drawCode = (): string => {
    const code = world.drawCode()
    drawn.push(code)
    return code
  }
  const deps: StartOtpDeps & EndOtpDeps = {
    ...opened,
    clock: gateway.clock,
    ids,
    blind,
    hasher,
    drawCode,
    otpText: async (_tenant, words) => toBuiltInText(words),
    otp: { limit: 5, window: seconds(600) },
    ...changes,
  }
  return {
    ...gateway,
    deps,
    drawn,
    compared,
    start: (wanted: Partial<WantedOtp> = {}) => startOtp(deps, { ...WANTED, ...wanted }),
    /** Starts one, and tells its code. */
    send: async (wanted: Partial<WantedOtp> = {}) => {
      const { id, expiresAt } = await startOtp(deps, { ...WANTED, ...wanted })
      const code = (await deps.log.load(id))?.content?.otp?.code
      if (code === undefined) throw new Error('the message carries no code')
      return { id, code, expiresAt }
    },
    check: (id: MessageId, code: string) => checkOtp(deps, TENANT, { id, code }),
    end: () => endOtps(deps),
    passTo: (at: Instant): void => gateway.pass(millis(at - gateway.clock())),
  }
}

/** A code of six digits that is not this one. */
export const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
