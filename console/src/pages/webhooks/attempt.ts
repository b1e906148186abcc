/** Attempts of webhook deliveries as the API returns them. */
import { api, unwrap } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'

type Listed = paths['/v1/endpoints/{id}/attempts']['get']['responses'][200]['content']['application/json']
export type WebhookAttempt = Listed['items'][number]
export type AttemptDetails =
  paths['/v1/endpoints/{id}/attempts/{attempt}']['get']['responses'][200]['content']['application/json']
export type Body = AttemptDetails['request']['body']
type TestBody = NonNullable<paths['/v1/endpoints/{id}/test']['post']['requestBody']>['content']['application/json']
export type TestableEvent = NonNullable<TestBody['event']>

export const fetchAttempt = (id: string, attempt: string): Promise<AttemptDetails> =>
  unwrap(api.GET('/v1/endpoints/{id}/attempts/{attempt}', { params: { path: { id, attempt } } }))

export const sendTest = (id: string, event: TestableEvent): Promise<AttemptDetails> =>
  unwrap(api.POST('/v1/endpoints/{id}/test', { params: { path: { id } }, body: { event } }))

/** JSON with line breaks, if it is JSON. What was cut off is not. */
export function toReadable({ text, truncated }: Body): string {
  if (text === null || truncated) return text ?? ''
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
