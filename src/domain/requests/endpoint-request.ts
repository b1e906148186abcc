/** Parses a request to create or change a webhook endpoint, and reports every problem. */
import { CALLBACK, type WebhookEventType } from '../webhooks/endpoint.ts'
import type { FieldProblem } from './request-fields.ts'

export const LONGEST_URL = 2048
export const LONGEST_DESCRIPTION = 200

/** The fields as received, their JSON types already checked. In an update, null removes a field. */
export type EndpointFields = Readonly<{
  id?: string
  url?: string
  description?: string | null
  events?: readonly WebhookEventType[]
}>

export function endpointProblems({ id, url, description }: EndpointFields): readonly FieldProblem[] {
  const ofUrl = url === undefined ? undefined : urlProblem(url)
  return [
    ...(id === CALLBACK ? [{ path: '/id', message: 'is reserved; choose another id' }] : []),
    ...(ofUrl === undefined ? [] : [{ path: '/url', message: ofUrl }]),
    ...(typeof description !== 'string' || isPrintable(description) ? [] : [{ path: '/description', message: TEXT }]),
  ]
}

/** The problem with a webhook URL, if any. */
export function urlProblem(text: string): string | undefined {
  // Rejects what URL parsing would silently repair, such as spaces and control characters.
  const url = /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  if (url === null) return 'must be an http or https URL'
  if (text.length > LONGEST_URL) return `must be at most ${LONGEST_URL} characters`
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  return text.includes('#') ? 'must not have a fragment' : undefined
}

const TEXT = `must be 1 to ${LONGEST_DESCRIPTION} printable characters`
const isPrintable = (text: string): boolean => /^\P{C}+$/u.test(text) && text.length <= LONGEST_DESCRIPTION
