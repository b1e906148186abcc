/**
 * Sends an alert as mail, like any other message of the tenant that is configured for it. The idempotency key stands for
 * the hour, so the first alert of a kind and subject in an hour is sent, whichever process tells of it.
 */
import type { Alert } from '../../domain/alerts/alert.ts'
import { toAlertMail, toMailKey } from '../../domain/alerts/alert-mail.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { MAIL } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Ids } from '../../ports/world.ts'
import { Refusal, type RefusalCode } from '../errors.ts'
import type { Submission } from '../send/accept.ts'
import { type AdmitDeps, admit } from '../send/admit.ts'

export type AlertMailing = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to: readonly EmailAddress[]
  from?: Mailbox
}>

export type MailAlertDeps = AdmitDeps &
  Readonly<{
    ids: Ids
    /** The tenant may not send the mail. */
    onRefused: (code: RefusalCode) => void
  }>

export async function mailAlert(deps: MailAlertDeps, mailing: AlertMailing, alert: Alert): Promise<void> {
  for (const to of mailing.to) {
    try {
      await admit(deps, toSubmission(deps, mailing, alert, to))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // An earlier alert of this hour has other figures.
      if (error.code !== 'IDEMPOTENCY_MISMATCH') deps.onRefused(error.code)
    }
  }
}

function toSubmission(
  { ids }: MailAlertDeps,
  { tenantId, accountId, from }: AlertMailing,
  alert: Alert,
  to: EmailAddress,
): Submission {
  const mail = toAlertMail(alert)
  return {
    tenantId,
    accountId,
    lane: 'transactional',
    content: omitUndefined({
      channel: 'email' as const,
      kind: 'email' as const,
      to,
      from,
      ...mail,
      metadata: {},
      tags: ['pombo-alert'],
    }),
    form: MAIL,
    idempotencyKey: toMailKey(alert, to),
    traceId: ids.traceId(),
  }
}
