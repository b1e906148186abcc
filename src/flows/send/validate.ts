/**
 * Checks again, before each attempt, whether a message may be sent: the recipient may have been removed since. Emails
 * go through all `CHECKS` in order.
 */
import { type CheckFailed, integrityProblem, template, templateProblem } from '../../domain/email/checks.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { CHECKS, type Check } from '../../domain/message/events.ts'
import type { Content, EmailContent } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type SuppressedDeps, suppressedOf } from '../receive/suppress.ts'

/** Each check applies only where its dependency is given. */
export type ValidateDeps = Readonly<{
  clock: SuppressedDeps['clock']
  recipients?: Pick<Recipients, 'find'>
  suppressions?: SuppressedDeps['suppressions']
  inspector?: HtmlInspector
}>

/** `checks` are the checks to record. */
type Validation = Readonly<{ kind: 'valid'; checks?: readonly Check[] } | ({ kind: 'invalid' } & CheckFailed)>

/** An SMS to a phone number that the caller gave is always valid. */
export const needsValidation = ({ channel, recipientId }: Content): boolean =>
  channel !== 'sms' || recipientId !== undefined

export async function validate(
  deps: ValidateDeps,
  { id, tenantId }: Pick<MessageState, 'id' | 'tenantId'>,
  content: Content,
): Promise<Validation> {
  if (content.channel === 'sms') return toValidation(await recipientProblem(deps, tenantId, content), {})
  const failed =
    integrityProblem(content) ??
    (await recipientProblem(deps, tenantId, content)) ??
    (await suppressionProblem(deps, tenantId, content)) ??
    templateProblem(content) ??
    (await htmlProblem(deps, id, content))
  return toValidation(failed, { checks: CHECKS })
}

const toValidation = (failed: CheckFailed | undefined, passed: { checks?: readonly Check[] }): Validation =>
  failed === undefined ? { kind: 'valid', ...passed } : { kind: 'invalid', ...failed }

const recipient = (code: string, detail: string): CheckFailed => ({ check: 'RECIPIENT', code, detail })

/** An SMS goes to the address it was accepted for; an email only if the directory still has that address. */
async function recipientProblem(
  { recipients }: ValidateDeps,
  tenantId: TenantId,
  { channel, recipientId: id, to }: Content,
): Promise<CheckFailed | undefined> {
  if (id === undefined || recipients === undefined) return undefined
  try {
    const entry = await recipients.find(tenantId, { id })
    if (entry === undefined) return recipient('RECIPIENT_NOT_FOUND', 'the recipient was removed from the directory')
    if (channel === 'sms' || entry.email === to) return undefined
    return recipient('INVALID_EMAIL', 'the directory has another address for the recipient')
  } catch (error) {
    // Sending continues while the directory is unavailable: nobody can be removed from it then.
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

async function suppressionProblem(
  { suppressions, clock }: ValidateDeps,
  tenantId: TenantId,
  content: EmailContent,
): Promise<CheckFailed | undefined> {
  if (suppressions === undefined) return undefined
  const found = await suppressedOf({ suppressions, clock }, tenantId, content)
  return found.length === 0 ? undefined : recipient('RECIPIENT_SUPPRESSED', 'an address is suppressed')
}

async function htmlProblem(
  { inspector }: ValidateDeps,
  id: MessageId,
  { html }: EmailContent,
): Promise<CheckFailed | undefined> {
  const [flaw] = (await inspector?.inspect(html, id)) ?? []
  return flaw && template(`the HTML has ${flaw.detail} in line ${flaw.line}`)
}
