/** The text of a one-time code: the tenant's own template, if it has one that serves, or else the built-in one. */
import type { TenantId } from '../domain/ids.ts'
import { parseLocale } from '../domain/locale.ts'
import type { OtpWords } from '../domain/otp-texts.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { type ComposeDeps, findTemplate } from './compose.ts'

export type OtpTextDeps = Pick<ComposeDeps, 'templates' | 'renderer' | 'defaultLocale'> &
  Readonly<{ builtIn: (words: OtpWords) => string }>

/** What a tenant calls its template for codes. It is given `code`, `minutes` and `app_name`, which may be null. */
export const OTP_TEMPLATE = 'otp'

export async function otpText(deps: OtpTextDeps, tenantId: TenantId, words: OtpWords): Promise<string> {
  const { code, minutes, appName = null, locale = '' } = words
  const template = await findTemplate(deps, tenantId, OTP_TEMPLATE, parseLocale(locale)).catch(ignoreAbsence)
  if (template === undefined) return deps.builtIn(words)
  const rendered = await deps.renderer.render({ text: template.texts.text }, { code, minutes, app_name: appName })
  // A text without the code would be worse than none.
  return rendered.kind === 'ok' && rendered.texts.text.includes(code) ? rendered.texts.text : deps.builtIn(words)
}

/** Nobody should wait for a code because of its wording. */
function ignoreAbsence(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
}
