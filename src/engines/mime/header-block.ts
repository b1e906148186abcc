/**
 * The headers of a mail as they were written. A line that is no header begins the body, as mail servers read it: some
 * programs send a text without any headers.
 */
import { isRelayHeader } from '../../domain/email/headers.ts'

/** `text` has all its lines, each with its line break. */
export type HeaderField = Readonly<{ name: string; text: string }>

export type SplitMail = Readonly<{ fields: readonly HeaderField[]; body: Buffer }>

const BREAK = '\r\n'
/** Spaces before the colon are obsolete, but read by everybody. */
const FIELD = /^([!-9;-~]{1,100})[ \t]*:/
/** The first line of a mail in a mailbox file. */
const MBOX = /^>?From /

/** Every line must end with CR LF. The bytes of the headers are read as Latin-1, so that they can be written again. */
export function splitMail(raw: Buffer): SplitMail {
  const fields: { name: string; text: string }[] = []
  let at = 0
  while (at < raw.length) {
    const end = raw.indexOf(BREAK, at)
    const next = end === -1 ? raw.length : end + BREAK.length
    const line = raw.toString('latin1', at, next)
    if (line === BREAK) return { fields, body: raw.subarray(next) }
    const last = fields.at(-1)
    const [, name] = FIELD.exec(line) ?? []
    if (/^[ \t]/.test(line) && last !== undefined) last.text += line
    else if (name !== undefined) fields.push({ name: name.toLowerCase(), text: line })
    else if (at > 0 || !MBOX.test(line)) return { fields, body: raw.subarray(at) }
    at = next
  }
  return { fields, body: raw.subarray(raw.length) }
}

/** Hidden recipients, our own headers, and those by which relays are told what to do. */
export const isKept = ({ name }: HeaderField): boolean =>
  !DROPPED.has(name) && !name.startsWith('x-pombo-') && !isRelayHeader(name)

const DROPPED = new Set(['bcc', 'resent-bcc', 'return-path'])

export function joinMail(fields: readonly HeaderField[], body: Buffer): Buffer {
  const headers = fields.map(({ text }) => (text.endsWith(BREAK) ? text : text + BREAK)).join('')
  return Buffer.concat([Buffer.from(headers + BREAK, 'latin1'), body])
}

export const hasField = (fields: readonly HeaderField[], wanted: string): boolean =>
  fields.some(({ name }) => name === wanted)

/** The unfolded values, in UTF-8. */
export const valuesOf = (fields: readonly HeaderField[], wanted: string): readonly string[] =>
  fields
    .filter(({ name }) => name === wanted)
    .map(({ text }) =>
      toUtf8(text.slice(text.indexOf(':') + 1))
        .replace(/\r\n/g, '')
        .trim(),
    )

const toUtf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8')
