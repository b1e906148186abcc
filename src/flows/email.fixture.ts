/** A mail, and a gateway that sends it: what tests of mail begin with. */

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

/** Our account may not send for now. */
export const PAUSES = {
  ...DEFERS,
  code: 'QUOTA',
  detail: 'used up',
  blame: 'account',
  retryAfter: seconds(3_600),
} as const satisfies SendOutcome

export const fakeMailer = (answers: readonly Answer[], name = 'one'): FakeProvider =>
  fakeProvider(answers, { name, capabilities: { channels: ['email'], reports: 'callback' } })

/** A gateway whose one route is for mail. */
export const openMailGateway = (world: World, options: GatewayOptions = {}): Gateway =>
  openGateway(world, { ...options, route: { channel: 'email', ...options.route } })

/** What a check that goes well leaves in the log. */
export const CHECKED = { kind: 'MessageValidated', checks: ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] } as const

/** Finds a flaw while it is told to. */
export function fakeInspector(isFlawed: () => boolean): HtmlInspector {
  return { inspect: async () => (isFlawed() ? [{ detail: 'a script element', line: 7 }] : []) }
}

/** For tests that count attempts and waits: nobody is ever held back. */
export const UNBROKEN: Breakers = {
  ask: () => FREE,
  report: () => undefined,
  force: async () => undefined,
  states: () => new Map(),
  watch: () => () => undefined,
}
