/**
 * Finds one endpoint of the caller's account. An endpoint of another account is not found, and one that is told what only
 * operators may know is theirs alone to change.
 */

import type { Caller } from '../../domain/access/caller.ts'
import { parseEndpointId } from '../../domain/ids.ts'
import { CALLBACK, type Endpoint, isOperators } from '../../domain/webhooks/endpoint.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import { mayOperate } from '../http/auth.ts'

export const changedMeanwhile = (id: string) =>
  refuse('CONFLICT', `The endpoint ${id} was changed at the same time; get it and try again`)

type FindDeps = Readonly<{ endpoints: Pick<Endpoints, 'find'> }>

export function readEndpointKey({ tenantId, accountId }: Caller, text: string): EndpointKey {
  const id = parseEndpointId(text)
  if (id === undefined)
    throw refuse('NOT_FOUND', 'No endpoint with this id: ids have up to 64 letters, digits, _ and -')
  return { tenantId, accountId, id }
}

export async function findEndpoint({ endpoints }: FindDeps, caller: Caller, text: string): Promise<Endpoint> {
  const key = readEndpointKey(caller, text)
  const found = await endpoints.find(key)
  if (found === undefined) throw notFound('endpoint', key.id)
  return found
}

/** The same, to change it or to use its secret. */
export async function findOwnEndpoint(deps: FindDeps, caller: Caller, text: string): Promise<Endpoint> {
  const found = await findEndpoint(deps, caller, text)
  refuseOperatorEvents(caller, found)
  return found
}

export function refuseOperatorEvents(caller: Caller, endpoint: Pick<Endpoint, 'events'>): void {
  if (isOperators(endpoint) && !mayOperate(caller)) {
    throw refuse('FORBIDDEN', 'Events of the installation need the scope operator, and are not told in test mode')
  }
}

/** An existing endpoint, or `callback`, which every account has, and which has no URL of its own. */
export const findDeliveryTarget = async (
  deps: FindDeps,
  caller: Caller,
  text: string,
): Promise<EndpointKey & Partial<Pick<Endpoint, 'url'>>> =>
  text === CALLBACK ? readEndpointKey(caller, text) : findEndpoint(deps, caller, text)
