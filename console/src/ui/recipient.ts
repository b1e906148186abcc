/** How lists identify a message: `+1 ••• 0100` or `a•••@example.com`, and `3f1c9f0e`. */
const PHONE = /^\+(\d{0,3})\*+(\d*)$/
const EMAIL = /^([^*]*)\*+(@.+)$/

/** Shows a country code only where the API gives one. Ids of users are not masked. */
export function toRecipient(masked: string): string {
  const [, country = '', digits] = PHONE.exec(masked) ?? []
  if (digits !== undefined) return `+${country === '' ? '' : `${country} `}••• ${digits}`.trimEnd()
  return masked.replace(EMAIL, '$1•••$2')
}

const SHORT_ID = 8

export const toShortId = (id: string): string => id.slice(0, SHORT_ID)
