/** The providers that are put to the test. One more is one more entry, and says what can be known of it. */
import { BY_HTTP, meetMessageBird, meetTwilio } from './provider-http.ts'
import type { Subject } from './provider-outside.ts'
import { openAmazon } from './provider-ses.ts'
import { openTheSimulator, SIMULATED } from './provider-simulator.ts'
import { BY_SMPP, meetSmsc } from './provider-smpp.ts'
import { BY_SMTP, meetMailServer } from './provider-smtp.ts'

/** Each case has a fake of its own. */
const alone =
  (meet: Awaited<ReturnType<Subject['open']>>['meet']): Subject['open'] =>
  async () => ({ meet, [Symbol.asyncDispose]: async () => undefined })

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'Twilio',
    conducts: BY_HTTP,
    // It can be asked only by its own name for a message, which an attempt with an unknown outcome does not have.
    traits: { denies: false, refers: true, answers: false },
    open: alone(meetTwilio),
  },
  {
    name: 'MessageBird',
    conducts: BY_HTTP,
    traits: { denies: false, refers: true, answers: true },
    open: alone(meetMessageBird),
  },
  {
    name: 'an SMSC',
    conducts: BY_SMPP,
    traits: { denies: false, refers: false, answers: false },
    open: alone(meetSmsc),
  },
  { name: 'SES', conducts: BY_HTTP, traits: { denies: false, refers: true, answers: false }, open: openAmazon },
  {
    name: 'a mail server',
    conducts: BY_SMTP,
    traits: { denies: false, refers: true, answers: false },
    open: alone(meetMailServer),
  },
  {
    name: 'the simulator',
    conducts: SIMULATED,
    traits: { denies: true, refers: true, answers: true },
    open: openTheSimulator,
  },
]
