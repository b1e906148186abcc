/** The html of an email as a safe page: it runs no script and loads nothing. Attached images are inlined. */
import type { Attachment, EmailContent } from '../../domain/message/message.ts'

const POLICY = [
  ...["default-src 'none'", 'img-src data:', "style-src 'unsafe-inline'", 'font-src data:'],
  ...["base-uri 'none'", "form-action 'none'"],
].join('; ')

/** For untrusted content: the browser neither sniffs its type nor runs it. */
export const SANDBOX_HEADERS = {
  'content-security-policy': `sandbox; ${POLICY}; frame-ancestors 'self'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Repeats the policy inside the page, for copies saved without the headers. */
const OPENING = [
  '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">',
  `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`,
].join('')

/** An image may be referenced any number of times: bounds what inlining adds. */
const MAX_INLINED_CHARACTERS = 16 * 1024 * 1024

export function toPage({ html, attachments = [] }: Pick<EmailContent, 'html' | 'attachments'>): string {
  const images = new Map(attachments.flatMap(toImage))
  let left = MAX_INLINED_CHARACTERS
  const page = html.replace(/(["'(=]\s*)cid:([^"'()\s<>]+)/gi, (found, before: string, id: string) => {
    const image = images.get(id)
    if (image === undefined || image.length > left) return found
    left -= image.length
    return before + image
  })
  return OPENING + page
}

/** By content id. Other attachments are not inlined. */
function toImage({ contentType, content, contentId }: Attachment): (readonly [id: string, url: string])[] {
  const isImage = /^image\/[a-z0-9.+-]+$/i.test(contentType) && /^[A-Za-z0-9+/]*=*$/.test(content)
  return contentId !== undefined && isImage ? [[contentId, `data:${contentType};base64,${content}`]] : []
}
