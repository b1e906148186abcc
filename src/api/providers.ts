/** The providers that are set up, and whether they are fit to be used. */
import { Type } from 'typebox'
import type { ProviderName } from '../domain/ids.ts'
import { CHANNELS } from '../domain/message.ts'
import type { Provider } from '../ports/provider.ts'
import type { Guard } from './auth.ts'
import type { Api } from './context.ts'
import { answers } from './schemas.ts'

export type ProvidersDeps = Readonly<{
  providers: ReadonlyMap<ProviderName, Provider>
  guard: Guard
}>

export function providerRoutes(app: Api, { providers, guard }: ProvidersDeps): void {
  app.get('/v1/providers', { schema: LIST, onRequest: guard('messages:read') }, async () => ({
    items: [...providers.values()].map(({ name, channels }) => ({ name, channels })),
  }))
}

const Listed = Type.Object({
  name: Type.String({ examples: ['simulator'] }),
  channels: Type.Array(Type.Enum(CHANNELS)),
})

const LIST = {
  operationId: 'listProviders',
  tags: ['operations'],
  summary: 'The providers and what they carry',
  description: 'Every provider that is set up, with the channels it carries.',
  response: answers({ 200: { description: 'The providers.', schema: Type.Object({ items: Type.Array(Listed) }) } }),
}
