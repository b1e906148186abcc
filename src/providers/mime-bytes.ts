/**
 * Encodes a composed mail into one buffer. nodemailer's stream would take an event-loop turn per part and cost several
 * times as much. It also refuses content that is neither text nor bytes, so no file or URL is ever read.
 */
import { encode as toBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64'
import type MimeNode from 'nodemailer/lib/mime-node'
import { encode as toQuoted, wrap as wrapQuoted } from 'nodemailer/lib/qp'

const BREAK = '\r\n'

export function toBytes(mail: MimeNode): Buffer {
  const pieces: string[] = []
  write(mail, pieces)
  const text = pieces.join('')
  // Headers and parts are encoded, so everything is ASCII.
  return Buffer.from(text.endsWith(BREAK) ? text : text + BREAK, 'latin1')
}

function write(node: MimeNode, pieces: string[]): void {
  // First: building the headers chooses the boundary.
  pieces.push(node.buildHeaders(), BREAK, BREAK)
  if (!node.multipart) {
    pieces.push(contentOf(node))
    return
  }
  for (const [index, child] of node.childNodes.entries()) {
    pieces.push(index === 0 ? '' : BREAK, `--${node.boundary}`, BREAK)
    write(child, pieces)
  }
  pieces.push(BREAK, `--${node.boundary}--`, BREAK)
}

function contentOf(node: MimeNode): string {
  const { content = '' } = node
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) throw new Error('a mail part is neither text nor bytes')
  switch (node.getTransferEncoding()) {
    case 'base64':
      return wrapBase64(toBase64(content))
    case 'quoted-printable':
      return wrapQuoted(toQuoted(content))
    default:
      return content.toString()
  }
}
