/** Reads and verifies the DKIM signature of a mail as a receiver does (RFC 6376), independently of what signed it. */
import { createHash, createPublicKey, createVerify } from 'node:crypto'

export type DkimSignature = Readonly<{
  domain: string
  selector: string
  canonicalization: string
  /** The names of the signed headers, in lower case. */
  names: readonly string[]
  /** Whether it verifies with this public key: body, headers and signature. `key` is in base64, as it is published. */
  isValid: (key: string) => boolean
}>

/** Every signature of a mail, the outermost first. */
export function dkimSignaturesOf(raw: Buffer): readonly DkimSignature[] {
  const source = raw.toString('latin1')
  const end = source.indexOf('\r\n\r\n')
  const fields = source.slice(0, end).split(/\r\n(?![ \t])/)
  const body = source.slice(end + 4)
  return fields.filter((field) => field.startsWith('DKIM-Signature:')).map((field) => toSignature(field, fields, body))
}

function toSignature(field: string, fields: readonly string[], body: string): DkimSignature {
  const tags = tagsOf(field.slice(field.indexOf(':') + 1))
  const tag = (name: string): string => tags.get(name) ?? ''
  const names = tag('h').toLowerCase().split(':')
  const signed = names.map((name) => relaxHeader(fields.findLast((one) => nameOf(one) === name) ?? ''))
  const unsigned = relaxHeader(field).replace(/ b=.*$/, ' b=')
  const bodyHash = createHash('sha256').update(relaxBody(body), 'latin1').digest('base64')
  return {
    domain: tag('d'),
    selector: tag('s'),
    canonicalization: tag('c'),
    names,
    isValid: (key) =>
      tag('bh') === bodyHash &&
      createVerify('rsa-sha256')
        .update([...signed, unsigned].join('\r\n'), 'latin1')
        .verify(createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), tag('b'), 'base64'),
  }
}

/** The tags of a signature or of a published key. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = text.replace(/\s/g, '').split(';')
  return new Map(tags.map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]))
}

const nameOf = (field: string): string => field.slice(0, field.indexOf(':')).trim().toLowerCase()

/** Relaxed canonicalization of a body and of a header (RFC 6376, 3.4). */
const relaxBody = (body: string): string =>
  `${body
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')
    .replace(/(?:\r\n)+$/, '')}\r\n`

function relaxHeader(field: string): string {
  const value = field
    .slice(field.indexOf(':') + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
  return `${nameOf(field)}:${value}`
}
