/** The account SID: it names an account of a tenant in Twilio's API, and is no secret. */
import { hash } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'

const LABEL = 'pombo twilio account v1'
const DIGITS = 32

/** The same in every process. Test mode has another, as the test credentials of Twilio do. */
export const toAccountSid = ({ tenantId, accountId }: Pick<Caller, 'tenantId' | 'accountId'>): string =>
  `AC${hash('sha256', JSON.stringify([LABEL, tenantId, accountId])).slice(0, DIGITS)}`
