/**
 * Writes the message of a one-time code: from the tenant's own template if it has a usable one, or from the built-in
 * texts.
 */

import { parseLocale } from '../../domain/directory/locale.ts'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import { MAX_SUBJECT_CHARACTERS, templateProblem } from '../../domain/email/checks.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import { type OtpMail, toBuiltInMail } from '../../domain/otp/mails.ts'
import { type OtpWords, toBuiltInText } from '../../domain/otp/texts.ts'
import { isText } from '../../domain/requests/request-fields.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { isSingleLine } from '../../lib/single-line.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { defaultLocaleOf, type LocaleDeps } from '../access/default-locale.ts'
import { type ComposeDeps, findTemplate } from '../send/compose.ts'

type OtpTextDeps = LocaleDeps & Pick<ComposeDeps, 'templates' | 'renderer'>
export type OtpMailDeps = OtpTextDeps & Readonly<{ inspector: HtmlInspector }>

/**
 * The names of a tenant's templates for codes. Their variables are `code`, `minutes` and `app_name`, which may be null.
 */
export const OTP_TEMPLATES: Readonly<Record<Channel, string>> = { sms: 'otp', email: 'otp-email' }

export async function writeOtpText(deps: OtpTextDeps, tenantId: TenantId, words: OtpWords): Promise<string> {
  const own = await fillIn(deps, tenantId, 'sms', words)
  // Never send a text without the code.
  return own?.text.includes(words.code) === true ? own.text : toBuiltInText(words, defaultLocaleOf(deps, tenantId))
}

export async function writeOtpMail(deps: OtpMailDeps, tenantId: TenantId, words: OtpWords): Promise<OtpMail> {
  const builtIn = toBuiltInMail(words, defaultLocaleOf(deps, tenantId))
  const own = toMail(await fillIn(deps, tenantId, 'email', words), words.code, builtIn.subject)
  const flaws = own && (await deps.inspector.inspect(own.html).catch(ignoreUnavailable))
  return own !== undefined && flaws?.length === 0 ? own : builtIn
}

/** Undefined without a template for this channel, or if it cannot be rendered. */
async function fillIn(
  deps: OtpTextDeps,
  tenantId: TenantId,
  channel: Channel,
  words: OtpWords,
): Promise<TemplateTexts | undefined> {
  const { code, minutes, appName = null, locale = '' } = words
  const name = OTP_TEMPLATES[channel]
  const template = await findTemplate(deps, tenantId, name, parseLocale(locale)).catch(ignoreUnavailable)
  if (template?.channel !== channel) return undefined
  const data = { code, minutes, app_name: appName }
  const rendered = await deps.renderer.render(template, data, 'code').catch(ignoreUnavailable)
  return rendered?.kind === 'ok' ? rendered.texts : undefined
}

/** Both the HTML and the text must contain the code; undefined otherwise. */
function toMail(own: TemplateTexts | undefined, code: string, otherwise: string): OtpMail | undefined {
  const { text = '', html = '', subject = '' } = own ?? {}
  const hasText = text.trim() !== ''
  if (!html.includes(code) || (hasText && !text.includes(code))) return undefined
  const mail = omitUndefined({
    subject: isSubject(subject, code) ? subject.trim() : otherwise,
    html,
    text: hasText ? text : undefined,
  })
  return templateProblem(mail) === undefined && [mail.subject, html, text].every(isText) ? mail : undefined
}

/** A subject must not contain the code, because locked screens show it. */
function isSubject(text: string, code: string): boolean {
  const subject = text.trim()
  if (subject === '' || subject.includes(code)) return false
  return [...subject].length <= MAX_SUBJECT_CHARACTERS && isSingleLine(subject)
}

/** A template that cannot be loaded or rendered now must not delay a code. */
function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
}
