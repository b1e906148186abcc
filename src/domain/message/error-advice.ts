/** What an error code of a message means, and what the sender can do. Total: an unlisted code is explained by its class. */
import { type ErrorCategory, toErrorCategory } from './error-category.ts'
import { ADVICE, ERROR_TEXTS, type ErrorText } from './error-texts.ts'

export type ErrorAdvice = ErrorText & Readonly<{ category: ErrorCategory }>

/** Of codes that are not in the table: a provider's own, and HTTP statuses. */
export const CLASS_TEXTS: Readonly<Record<ErrorCategory, ErrorText>> = {
  PERMANENT_ERROR: { meaning: 'The provider rejected the message for good.', advice: ADVICE.protocol },
  CONFIGURATION_ERROR: { meaning: 'The provider or its settings need attention.', advice: ADVICE.configuration },
  QUOTA_ERROR: { meaning: 'The provider limits how much may be sent.', advice: ADVICE.rate },
  TRANSIENT_ERROR: { meaning: 'The provider failed temporarily.', advice: ADVICE.later },
  TIMEOUT_ERROR: { meaning: 'The provider did not answer in time.', advice: ADVICE.unknown },
  VALIDATION_ERROR: { meaning: 'The message did not pass the checks before it was sent.', advice: ADVICE.content },
}

const TEXTS: ReadonlyMap<string, ErrorText> = new Map(Object.entries(ERROR_TEXTS))

/** `willRetry` decides the class of a code that is listed nowhere. */
export function toErrorAdvice(code: string, willRetry: boolean): ErrorAdvice {
  const category = toErrorCategory(code, willRetry)
  return { ...(TEXTS.get(code) ?? CLASS_TEXTS[category]), category }
}
