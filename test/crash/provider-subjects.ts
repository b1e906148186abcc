/** The providers that are put to the test. One more is one more entry, and says what can be known of it. */
import { meetMessageBird, meetTwilio } from './provider-http.ts'
import type { Subject } from './provider-outside.ts'
import { openTheSimulator, SIMULATED } from './provider-simulator.ts'
import { BY_SMPP, meetSmsc } from './provider-smpp.ts'
import { CONDUCTS } from './provider-table.ts'

/** Each case has a fake of its own. */
const alone =
  (meet: Awaited<ReturnType<Subject['open']>>['meet']): Subject['open'] =>
  async () => ({ meet, [Symbol.asyncDispose]: async () => undefined })

export const SUBJECTS: readonly Subject[] = [
  { name: 'Twilio', conducts: CONDUCTS, traits: { denies: false, refers: true }, open: alone(meetTwilio) },
  { name: 'MessageBird', conducts: CONDUCTS, traits: { denies: false, refers: true }, open: alone(meetMessageBird) },
  { name: 'an SMSC', conducts: BY_SMPP, traits: { denies: false, refers: false }, open: alone(meetSmsc) },
  { name: 'the simulator', conducts: SIMULATED, traits: { denies: true, refers: true }, open: openTheSimulator },
]
