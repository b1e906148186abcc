/** A sample email and a gateway that sends it. */

import type { EmailAddress } from '../domain/email/address.ts'
import { type EmailContent, MAIL } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import { FREE } from '../domain/routing/breaker.ts'
import { seconds } from '../lib/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { HtmlInspector } from '../ports/html-inspector.ts'
import {
  type Answer,
  DEFERS,
  type FakeProvider,
  fakeProvider,
  type Gateway,
  type GatewayOptions,
  openGateway,
  SUBMISSION,
  type World,
} from './gateway.fixture.ts'
import type { Submission } from './send/accept.ts'

export const MAIL_CONTENT: EmailContent = {
  channel: 'email',
  kind: 'email',
  to: 'ana@acme.example' as EmailAddress,
  subject: 'Your parcel',
  html: '<p>It is on its way.</p>',
  metadata: { order: 'A-17' },
  tags: ['parcel'],
}

export const MAIL_SUBMISSION: Submission & Readonly<{ content: EmailContent }> = {
  ...SUBMISSION,
  content: MAIL_CONTENT,
  form: MAIL,
}

/** The account may not send for an hour. */
export const PAUSES = {
  ...DEFERS,
  code: 'QUOTA',
  detail: 'used up',
  blame: 'account',
  retryAfter: seconds(3_600),
} as const satisfies SendOutcome

export const fakeMailer = (answers: readonly Answer[], name = 'one'): FakeProvider =>
  fakeProvider(answers, { name, capabilities: { channels: ['email'], reports: 'callback' } })

/** A gateway with one route, for email. */
export const openMailGateway = (world: World, options: GatewayOptions = {}): Gateway =>
  openGateway(world, { ...options, route: { channel: 'email', ...options.route } })

/** The fact recorded when all checks pass. */
export const CHECKED = { kind: 'MessageValidated', checks: ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] } as const

/** Reports a flaw while `isFlawed` returns true. */
export function fakeInspector(isFlawed: () => boolean): HtmlInspector {
  return { inspect: async () => (isFlawed() ? [{ detail: 'a script element', line: 7 }] : []) }
}

/** Breakers that never open, for tests that count attempts and delays. */
export const UNBROKEN: Breakers = {
  ask: () => FREE,
  report: () => undefined,
  force: async () => undefined,
  states: () => new Map(),
  watch: () => () => undefined,
}
