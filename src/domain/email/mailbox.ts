/** A mailbox with a display name, as in `Acme <no-reply@acme.example>`. */

import { isSingleLine } from '../../lib/single-line.ts'
import { type EmailAddress, parseEmailAddress } from './address.ts'

export type Mailbox = Readonly<{ address: EmailAddress; name?: string }>

const LONGEST_NAME = 100
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>]*?))\s*<([^<>]*)>$/

/** `a@b.example`, `Name <a@b.example>` or `"Name, Ltd" <a@b.example>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, bare = '', inside] = NAMED.exec(text.trim()) ?? []
  const address = parseEmailAddress(inside ?? text.trim())
  if (address === undefined) return undefined
  const name = (quoted?.replace(/\\(.)/g, '$1') ?? bare).trim()
  if (name === '') return { address }
  return isName(name) ? { address, name } : undefined
}

const isName = (name: string): boolean => name.length <= LONGEST_NAME && isSingleLine(name)
