/** Generates and validates one-time codes, and reads them from the simulated handset or mailbox. */
import { randomUUID } from 'node:crypto'
import type { Answer, Gateway } from './gateway.ts'
import { freshNumber, inboxOf } from './sms.ts'
import { until } from './until.ts'

type Caller = Pick<Gateway, 'call'>

export type OtpRequest = Readonly<{
  to: string
  channel?: 'sms' | 'email'
  idempotency_key: string
  ttl_seconds?: number
  max_attempts?: number
}>
export type Generated = Readonly<{ challenge_id: string; request_id: string; status: string; expires_at: string }>
export type Validated = Readonly<{ challenge_id: string; valid: boolean; status: string; attempts_remaining: number }>

/** A unique, ordinary mailbox. */
export const freshMailbox = (): string => `ann.${randomUUID()}@mail.example`

export const someOtp = (request: Partial<OtpRequest> = {}): OtpRequest => ({
  to: freshNumber(),
  idempotency_key: randomUUID(),
  ...request,
})

export const generate = ({ call }: Caller, request: OtpRequest): Promise<Answer<Generated>> =>
  call<Generated>('POST', '/v1/otp/generate', request)

export const validate = ({ call }: Caller, challengeId: string, code: string): Promise<Answer<Validated>> =>
  call<Validated>('POST', '/v1/otp/validate', { challenge_id: challengeId, code })

/** Waits for the code in the newest message to this recipient. */
export const codeAt = (gateway: Caller, to: string): Promise<string> =>
  until(`a code at …${to.slice(-4)}`, async () => /\b\d{6}\b/.exec((await inboxOf(gateway, to))[0]?.body ?? '')?.[0])

export const wrongFor = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
