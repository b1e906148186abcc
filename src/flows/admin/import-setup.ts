/**
 * Moves what is set up into another store: limits, recipients, suppressed addresses, routes, endpoints, and templates
 * with all their versions. What is there already stays as it is, so it can be repeated. To be done before the log is
 * moved: a waiting message that names a recipient fails where there is none, one to a suppressed address must not go
 * out, and endpoints are told of what comes then.
 */

import type { DirectoryEntry } from '../../domain/directory/recipient.ts'
import type { Template } from '../../domain/directory/template.ts'
import { isByPerson, isForLonger, type Suppression } from '../../domain/email/suppression.ts'
import type { TenantId } from '../../domain/ids.ts'
import { EACH } from '../../domain/limits/limits.ts'
import { toFields } from '../../domain/routing/route-fields.ts'
import type { Route } from '../../domain/routing/routing.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { NewRoute, RouteBook } from '../../ports/routes.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import type { Templates } from '../../ports/templates.ts'
import { type Fate, type Moved, moveAll, NOTHING, sum } from './move.ts'

export type Setup = Readonly<{
  rules: LimitRules
  recipients: Recipients
  suppressions: Suppressions
  templates: Templates
  routes: RouteBook
  endpoints: Endpoints
}>

export type ImportSetupDeps = Readonly<{
  source: Setup & Readonly<{ listing: Pick<SetupListing, 'tenants'> }>
  target: Setup
  /** Whether both run with the same master key. */
  isSameKey: boolean
  clock: Clock
}>

/** A template is counted once, however many versions and other locales it has. */
export type ImportedSetup = Readonly<{
  limits: Moved
  recipients: Moved
  suppressions: Moved
  templates: Moved
  routes: Moved
  endpoints: Moved
}>

export async function importSetup(deps: ImportSetupDeps): Promise<ImportedSetup> {
  let [limits, recipients, suppressions, templates, routes] = [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING]
  for (const tenantId of await deps.source.listing.tenants()) {
    limits = sum(limits, await moveLimits(deps, tenantId))
    recipients = sum(recipients, await moveRecipients(deps, tenantId))
    suppressions = sum(suppressions, await moveSuppressions(deps, tenantId))
    templates = sum(templates, await moveTemplates(deps, tenantId))
    routes = sum(routes, await moveRoutes(deps, tenantId))
  }
  return { limits, recipients, suppressions, templates, routes, endpoints: await moveEndpoints(deps) }
}

const moveLimits = (deps: ImportSetupDeps, tenantId: TenantId): Promise<Moved> =>
  moveAll(
    async (from) => {
      const { limits: items, nextCursor } = await deps.source.rules.list({ tenantId, ...from })
      return { items, nextCursor }
    },
    (limit) => moveLimit(deps, limit),
  )

async function moveLimit({ target, isSameKey }: ImportSetupDeps, limit: Limit): Promise<Fate> {
  // Its key is a hash under the master key, and nobody knows of whom.
  if (limit.scope === 'recipient' && limit.key !== EACH && !isSameKey) return 'left'
  if ((await target.rules.find(limit)) !== undefined) return 'there'
  const { version: _, ...wanted } = limit
  await target.rules.set(wanted)
  return 'added'
}

const moveRecipients = (deps: ImportSetupDeps, tenantId: TenantId): Promise<Moved> =>
  moveAll(
    async (from) => {
      const { recipients: items, nextCursor } = await deps.source.recipients.search({ tenantId, ...from })
      return { items, nextCursor }
    },
    (entry) => moveRecipient(deps, entry),
  )

async function moveRecipient({ target: { recipients } }: ImportSetupDeps, entry: DirectoryEntry): Promise<Fate> {
  const { tenantId, id, externalId } = entry
  if ((await recipients.find(tenantId, { id })) !== undefined) return 'there'
  if ((await recipients.add(entry)) === 'added') return 'added'
  // Another goes by its external id; or else it was moved before, and has been removed since.
  const holder = externalId === undefined ? undefined : await recipients.find(tenantId, { externalId })
  return holder === undefined || holder.id === id ? 'there' : 'left'
}

/** Those whose time is over are left out, and not counted. */
const moveSuppressions = (deps: ImportSetupDeps, tenantId: TenantId): Promise<Moved> =>
  moveAll(
    async (from) => {
      const page = await deps.source.suppressions.list({ tenantId, at: deps.clock(), ...from })
      return { items: page.suppressions, nextCursor: page.nextCursor }
    },
    (suppression) => moveSuppression(deps, suppression),
  )

/** What was only found out by sending there gives way to what is for longer: nobody who complained gets mail again. */
async function moveSuppression({ target, clock }: ImportSetupDeps, moved: Suppression): Promise<Fate> {
  const [there] = await target.suppressions.find(moved.tenantId, [moved.address], clock())
  if (there !== undefined && (isByPerson(there) || !isForLonger(moved, there))) return 'there'
  await target.suppressions.add(moved)
  return 'added'
}

const moveTemplates = (deps: ImportSetupDeps, tenantId: TenantId): Promise<Moved> =>
  moveAll(
    async (from) => {
      const { templates: items, nextCursor } = await deps.source.templates.list({ tenantId, ...from })
      return { items, nextCursor }
    },
    (newest) => moveVersions(deps, newest),
  )

/** Only a past of its own that goes on in the source is continued: whoever wrote another one there meant it. */
async function moveVersions({ source, target }: ImportSetupDeps, newest: Template): Promise<Fate> {
  const versions = (await source.templates.versions(newest)).toReversed()
  const there = (await target.templates.versions(newest)).toReversed()
  if (there.some((template, place) => versions[place] !== undefined && !isSame(template, versions[place])))
    return 'left'
  const missing = versions.slice(there.length)
  for (const { version: _, ...template } of missing) await target.templates.add(template)
  return missing.length > 0 ? 'added' : 'there'
}

const isSame = (one: Template, other: Template): boolean =>
  one.createdAt === other.createdAt &&
  one.channel === other.channel &&
  one.texts.text === other.texts.text &&
  one.texts.subject === other.texts.subject &&
  one.texts.html === other.texts.html

const moveRoutes = ({ source, target }: ImportSetupDeps, tenantId: TenantId): Promise<Moved> =>
  moveAll(
    async () => ({ items: ownOf(source.routes, tenantId), nextCursor: undefined }),
    (route) => moveRoute(target.routes, route),
  )

/** Its providers may be set up there later. */
async function moveRoute(routes: RouteBook, route: NewRoute): Promise<Fate> {
  if ((await routes.add(route)) !== undefined) return 'added'
  const there = ownOf(routes, route.tenantId).find(({ id }) => id === route.id)
  return there !== undefined && toText(there) === toText(route) ? 'there' : 'left'
}

const ownOf = (routes: RouteBook, tenantId: TenantId): readonly NewRoute[] =>
  (routes.of(tenantId) ?? []).flatMap(({ own, ...route }) => (own === undefined ? [] : [{ ...route, tenantId, own }]))

const toText = ({ own: _, ...route }: NewRoute): string => JSON.stringify(toFields(route satisfies Route))

const moveEndpoints = (deps: ImportSetupDeps): Promise<Moved> =>
  moveAll(
    async () => ({ items: await deps.source.endpoints.list(), nextCursor: undefined }),
    (endpoint) => moveEndpoint(deps, endpoint),
  )

async function moveEndpoint({ target: { endpoints }, isSameKey }: ImportSetupDeps, endpoint: Endpoint): Promise<Fate> {
  // Its secret comes from the master key: whoever gets what is signed with another takes it for a forgery.
  if (!isSameKey) return 'left'
  const { failingSince: _, ...moved } = endpoint
  return (await endpoints.add(moved)) === undefined ? 'there' : 'added'
}
