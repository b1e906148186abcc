/** Which passwords are accepted. Length counts, not kinds of characters; what is guessed first is refused. */
import type { EmailAddress } from '../email/address.ts'

export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 128

/** Shorter names before the @ occur in ordinary words. */
const MIN_NAME_LENGTH = 4
/** `abcabcabcabc` is as easy to guess as `abc`. */
const REPEATED = /^(.{1,8}?)\1+.{0,3}$/u

/** The long ones among the most common passwords of published lists, without digits and punctuation at the end. */
const COMMON: ReadonlySet<string> = new Set([
  ...['administrator', 'changemechangeme', 'correcthorsebatterystaple', 'iloveyouforever', 'letmeinletmein'],
  ...['letmeinplease', 'mypassword', 'nopassword', 'passw0rd', 'password', 'passwort', 'pombopassword', 'q1w2e3r4t5y6'],
  ...['qwertyuiop', 'qwertyuiopasdf', 'qwertyuiopasdfgh', 'qwertyuiopasdfghjkl', 'qwertzuiop', 'secretpassword'],
  ...['testpassword', 'thisismypassword', 'trustnoone', 'unbelievable', 'welcome', 'whatever', 'zaqxswcdevfr'],
  ...['1q2w3e4r5t6y', '1q2w3e4r5t6y7u', '1q2w3e4r5t6y7u8i', '1qaz2wsx3edc', '1qaz2wsx3edc4rfv', 'zaq12wsxcde3'],
  ...['qazwsxedcrfv', 'qazwsxedcrfvtgb', 'asdfghjkl', 'zxcvbnm', 'abcdefghijkl', 'abcdefghijklmnop', 'starwars'],
  ...['mynoobmynoob', 'footballfootball', 'basketball', 'liverpoolfc', 'manchesterunited', 'christopher', 'charlotte'],
])

const SEQUENCES = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
]

/** The same characters, however a keyboard composes them. */
export const toComparablePassword = (password: string): string => password.normalize('NFKC')

/** Why the password is refused, completing "The password …"; undefined when it is accepted. */
export function passwordProblem(password: string, email: EmailAddress): string | undefined {
  const length = [...toComparablePassword(password)].length
  if (length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`
  if (length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`
  const text = toComparablePassword(password).toLowerCase()
  if (containsAddress(text, email)) return 'must not contain your email address or your name in it'
  return isCommon(text) ? 'is one of the first that others would guess; choose another' : undefined
}

function containsAddress(text: string, email: EmailAddress): boolean {
  const name = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  return text.includes(email.toLowerCase()) || (name.length >= MIN_NAME_LENGTH && text.includes(name))
}

/** `Password2024!` is as common as `password`. */
const isCommon = (text: string): boolean =>
  COMMON.has(text) ||
  COMMON.has(text.replace(/[\d\W_]+$/u, '')) ||
  REPEATED.test(text) ||
  SEQUENCES.some((sequence) => sequence.includes(text))
