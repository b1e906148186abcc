/** The providers under test, with their capabilities. */

import type { Subject } from './provider-external.ts'
import { HTTP_BEHAVIOURS, openMessageBird, openTwilio } from './provider-http.ts'
import { openSharedSns } from './provider-ses.ts'
import { openSharedSimulator, SIMULATOR_BEHAVIOURS } from './provider-simulator.ts'
import { openSmsc, SMPP_BEHAVIOURS } from './provider-smpp.ts'
import { openMailServer, SMTP_BEHAVIOURS } from './provider-smtp.ts'

/** Opens a new fake for each case. */
const perCase =
  (openCase: Awaited<ReturnType<Subject['open']>>['openCase']): Subject['open'] =>
  async () => ({ openCase, [Symbol.asyncDispose]: async () => undefined })

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'Twilio',
    behaviours: HTTP_BEHAVIOURS,
    // Its lookup needs its own message id, which an attempt with an unknown outcome does not have.
    traits: { confirmsAbsence: false, returnsReference: true, supportsLookup: false },
    open: perCase(openTwilio),
  },
  {
    name: 'MessageBird',
    behaviours: HTTP_BEHAVIOURS,
    traits: { confirmsAbsence: false, returnsReference: true, supportsLookup: true },
    open: perCase(openMessageBird),
  },
  {
    name: 'an SMSC',
    behaviours: SMPP_BEHAVIOURS,
    traits: { confirmsAbsence: false, returnsReference: false, supportsLookup: false },
    open: perCase(openSmsc),
  },
  {
    name: 'SES',
    behaviours: HTTP_BEHAVIOURS,
    traits: { confirmsAbsence: false, returnsReference: true, supportsLookup: false },
    open: openSharedSns,
  },
  {
    name: 'a mail server',
    behaviours: SMTP_BEHAVIOURS,
    traits: { confirmsAbsence: false, returnsReference: true, supportsLookup: false },
    open: perCase(openMailServer),
  },
  {
    name: 'the simulator',
    behaviours: SIMULATOR_BEHAVIOURS,
    traits: { confirmsAbsence: true, returnsReference: true, supportsLookup: true },
    open: openSharedSimulator,
  },
]
