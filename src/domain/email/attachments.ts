/** Checks the attachments of an email. Their names go into headers, so nothing in them may end a header. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { isSingleLine } from '../../lib/single-line.ts'
import type { Attachment } from '../message/message.ts'
import type { Bad } from '../requests/request-fields.ts'

export const MAX_ATTACHMENTS = 20
/** For all attachments together, decoded. */
export const MAX_ATTACHED_BYTES = 5 * 1024 * 1024
const LONGEST_FILENAME = 255

/** An attachment as received, its JSON types already checked. */
export type AttachmentFields = Readonly<{
  filename: string
  content_type: string
  content: string
  content_id?: string
}>

/** Undefined when there are none; a problem names the attachment's index. */
export function readAttachments(said: readonly AttachmentFields[], bad: Bad): readonly Attachment[] | undefined {
  if (said.length === 0) return undefined
  if (said.length > MAX_ATTACHMENTS) return bad('attachments', `must be at most ${MAX_ATTACHMENTS}`)
  const attachments = said.map((fields, index) => readAttachment(fields, `attachments/${index}`, bad))
  const bytes = attachments.reduce((sum, { content }) => sum + bytesOf(content), 0)
  if (bytes > MAX_ATTACHED_BYTES) {
    return bad('attachments', `must be at most ${MAX_ATTACHED_BYTES / 1024 / 1024} MiB together, once decoded`)
  }
  const ids = attachments.map(({ contentId }) => contentId)
  ids.forEach((id, index) => {
    if (id !== undefined && ids.indexOf(id) < index)
      bad(`attachments/${index}/content_id`, 'is already used by another attachment')
  })
  return attachments
}

function readAttachment(fields: AttachmentFields, path: string, bad: Bad): Attachment {
  const { filename, content_type: contentType, content_id: contentId } = fields
  const content = toOneLine(fields.content)
  if (!isFilename(filename)) bad(`${path}/filename`, FILENAME)
  if (!isContentType(contentType)) bad(`${path}/content_type`, CONTENT_TYPE)
  if (!isBase64(content)) bad(`${path}/content`, 'must be base64 (RFC 4648, section 4), padded')
  if (contentId !== undefined && !CONTENT_ID.test(contentId)) bad(`${path}/content_id`, NO_ID)
  return omitUndefined({ filename, contentType, content, contentId })
}

const FILENAME = `must be one line of 1 to ${LONGEST_FILENAME} characters without / or \\`
const CONTENT_TYPE = 'must be type/subtype, without parameters, and neither multipart nor message'
const NO_ID = 'must be 1 to 128 letters, digits and . _ + @ -'

const isFilename = (name: string): boolean =>
  name.length <= LONGEST_FILENAME && name.trim() !== '' && isSingleLine(name) && !/[/\\]/.test(name)

/** The syntax of registered media types (RFC 6838, section 4.2). */
const TYPE_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}'
const TYPE = new RegExp(`^${TYPE_NAME}/${TYPE_NAME}$`)
/** Composite types must not be base64-encoded, and unencoded content may be altered in transit. */
export const isContentType = (type: string): boolean => TYPE.test(type) && !/^(?:multipart|message)\//i.test(type)

const CONTENT_ID = /^[A-Za-z0-9._+@-]{1,128}$/

/** Mail tools break base64 into lines. */
const toOneLine = (content: string): string => (content.includes('\n') ? content.replace(/\r?\n/g, '') : content)

/** Complete groups of four with zero padding bits, so that every file has exactly one encoding. */
function isBase64(content: string): boolean {
  const padding = paddingOf(content)
  // Searches for an invalid character: matching all valid ones could overflow the stack.
  if (content.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(content.slice(0, content.length - padding))) return false
  const last = content.charAt(content.length - padding - 1)
  return padding === 0 || LAST[padding].includes(last)
}

/** The last characters that leave zero padding bits. */
const LAST = { 1: 'AEIMQUYcgkosw048', 2: 'AQgw' } as const

function paddingOf(content: string): 0 | 1 | 2 {
  if (content.endsWith('==')) return 2
  return content.endsWith('=') ? 1 : 0
}

const bytesOf = (content: string): number => (content.length / 4) * 3 - paddingOf(content)
