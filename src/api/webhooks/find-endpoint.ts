/** One endpoint of the caller. One of another account is as unknown as one that never was. */

import { parseEndpointId } from '../../domain/ids.ts'
import { CALLBACK, type Endpoint } from '../../domain/webhooks/endpoint.ts'
import { refuse } from '../../flows/errors.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { Caller } from '../http/context.ts'

type FindDeps = Readonly<{ endpoints: Pick<Endpoints, 'find'> }>

export const noEndpoint = () => refuse('NOT_FOUND', 'no such endpoint')

export function readEndpointKey({ tenantId, accountId }: Caller, text: string): EndpointKey {
  const id = parseEndpointId(text)
  if (id === undefined) throw noEndpoint()
  return { tenantId, accountId, id }
}

export async function findEndpoint({ endpoints }: FindDeps, caller: Caller, text: string): Promise<Endpoint> {
  const found = await endpoints.find(readEndpointKey(caller, text))
  if (found === undefined) throw noEndpoint()
  return found
}

/** The key of an endpoint that is there, or of the callbacks that every account has. */
export async function findAddressee(deps: FindDeps, caller: Caller, text: string): Promise<EndpointKey> {
  if (text !== CALLBACK) await findEndpoint(deps, caller, text)
  return readEndpointKey(caller, text)
}
