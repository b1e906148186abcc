/** What a customer may say of an endpoint, and every reason why it may be refused. */
import { CALLBACK, type WebhookEventType } from '../webhooks/endpoint.ts'
import type { FieldProblem } from './request-fields.ts'

export const LONGEST_URL = 2048
export const LONGEST_DESCRIPTION = 200

/** The fields as they came, their JSON types already checked. In a change, null takes a field away. */
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

/** What is wrong with an address that is to be called. Undefined when nothing is. */
export function urlProblem(text: string): string | undefined {
  // What URL parsing would repair in silence, such as spaces and control characters, is refused.
  const url = /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  if (url === null) return 'must be an http or https URL'
  if (text.length > LONGEST_URL) return `must be at most ${LONGEST_URL} characters`
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  return text.includes('#') ? 'must not have a fragment' : undefined
}

const TEXT = `must be 1 to ${LONGEST_DESCRIPTION} printable characters`
const isPrintable = (text: string): boolean => /^\P{C}+$/u.test(text) && text.length <= LONGEST_DESCRIPTION
