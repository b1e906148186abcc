/**
 * The html of a mail as a page that can do no harm: it runs nothing, loads nothing and tells nobody that it was read.
 * Pictures that came along are put into it.
 */
import type { Attachment, EmailContent } from '../../domain/message/message.ts'

const POLICY = [
  ...["default-src 'none'", 'img-src data:', "style-src 'unsafe-inline'", 'font-src data:'],
  ...["base-uri 'none'", "form-action 'none'"],
].join('; ')

/** For whatever a stranger may have written: the browser neither guesses what it is nor lets it act. */
export const HARMLESS = {
  'content-security-policy': `sandbox; ${POLICY}; frame-ancestors 'self'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Says the same within the page, for who keeps it without the headers it came with. */
const OPENING = [
  '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">',
  `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`,
].join('')

/** One picture can be shown any number of times; a page does not grow any longer than this by it. */
const MOST_CHARACTERS = 16 * 1024 * 1024

export function toPage({ html, attachments = [] }: Pick<EmailContent, 'html' | 'attachments'>): string {
  const pictures = new Map(attachments.flatMap(toPicture))
  let room = MOST_CHARACTERS
  const page = html.replace(/(["'(=]\s*)cid:([^"'()\s<>]+)/gi, (found, before: string, id: string) => {
    const picture = pictures.get(id)
    if (picture === undefined || picture.length > room) return found
    room -= picture.length
    return before + picture
  })
  return OPENING + page
}

/** Under the name that the html knows it by. Nothing else that came along is shown within the page. */
function toPicture({ contentType, content, contentId }: Attachment): (readonly [id: string, url: string])[] {
  const isPicture = /^image\/[a-z0-9.+-]+$/i.test(contentType) && /^[A-Za-z0-9+/]*=*$/.test(content)
  return contentId !== undefined && isPicture ? [[contentId, `data:${contentType};base64,${content}`]] : []
}
