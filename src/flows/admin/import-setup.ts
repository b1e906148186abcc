/**
 * Imports the setup of a store into another: limits, recipients, suppressions, routes, endpoints, and templates with
 * all their versions. Existing items stay as they are, so it can be repeated. Import the setup before the log: waiting
 * messages need their recipients and must respect suppressions, and endpoints receive events from then on.
 */

import type { DirectoryEntry } from '../../domain/directory/recipient.ts'
import type { Template, TemplateSummary } from '../../domain/directory/template.ts'
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
import { type ImportCounts, type ImportOutcome, importPages, NOTHING, sum } from './import-pages.ts'

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
  /** Whether both stores use the same master key. */
  isSameKey: boolean
  clock: Clock
}>

/** A template counts once, whatever its versions and locales. */
export type ImportedSetup = Readonly<{
  limits: ImportCounts
  recipients: ImportCounts
  suppressions: ImportCounts
  templates: ImportCounts
  routes: ImportCounts
  endpoints: ImportCounts
}>

export async function importSetup(deps: ImportSetupDeps): Promise<ImportedSetup> {
  let [limits, recipients, suppressions, templates, routes] = [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING]
  for (const tenantId of await deps.source.listing.tenants()) {
    limits = sum(limits, await importLimits(deps, tenantId))
    recipients = sum(recipients, await importRecipients(deps, tenantId))
    suppressions = sum(suppressions, await importSuppressions(deps, tenantId))
    templates = sum(templates, await importTemplates(deps, tenantId))
    routes = sum(routes, await importRoutes(deps, tenantId))
  }
  return { limits, recipients, suppressions, templates, routes, endpoints: await importEndpoints(deps) }
}

const importLimits = (deps: ImportSetupDeps, tenantId: TenantId): Promise<ImportCounts> =>
  importPages(
    async (from) => {
      const { limits: items, nextCursor } = await deps.source.rules.list({ tenantId, ...from })
      return { items, nextCursor }
    },
    (limit) => importLimit(deps, limit),
  )

async function importLimit({ target, isSameKey }: ImportSetupDeps, limit: Limit): Promise<ImportOutcome> {
  // The key is a hash under the master key, and the recipient behind it is unknown.
  if (limit.scope === 'recipient' && limit.key !== EACH && !isSameKey) return 'left'
  if ((await target.rules.find(limit)) !== undefined) return 'there'
  const { version: _, ...wanted } = limit
  await target.rules.set(wanted)
  return 'added'
}

const importRecipients = (deps: ImportSetupDeps, tenantId: TenantId): Promise<ImportCounts> =>
  importPages(
    async (from) => {
      const { recipients: items, nextCursor } = await deps.source.recipients.search({ tenantId, ...from })
      return { items, nextCursor }
    },
    (entry) => importRecipient(deps, entry),
  )

async function importRecipient(
  { target: { recipients } }: ImportSetupDeps,
  entry: DirectoryEntry,
): Promise<ImportOutcome> {
  const { tenantId, id, externalId } = entry
  if ((await recipients.find(tenantId, { id })) !== undefined) return 'there'
  if ((await recipients.add(entry)) === 'added') return 'added'
  // Another recipient has its external id, or it was imported before and has been removed since.
  const holder = externalId === undefined ? undefined : await recipients.find(tenantId, { externalId })
  return holder === undefined || holder.id === id ? 'there' : 'left'
}

/** Expired entries are skipped and not counted. */
const importSuppressions = (deps: ImportSetupDeps, tenantId: TenantId): Promise<ImportCounts> =>
  importPages(
    async (from) => {
      const page = await deps.source.suppressions.list({ tenantId, at: deps.clock(), ...from })
      return { items: page.suppressions, nextCursor: page.nextCursor }
    },
    (suppression) => importSuppression(deps, suppression),
  )

/** A longer-lasting entry replaces one from a bounce, so that nobody who complained gets email again. */
async function importSuppression({ target, clock }: ImportSetupDeps, suppression: Suppression): Promise<ImportOutcome> {
  const [there] = await target.suppressions.find(suppression.tenantId, [suppression.address], clock())
  if (there !== undefined && (isByPerson(there) || !isForLonger(suppression, there))) return 'there'
  await target.suppressions.add(suppression)
  return 'added'
}

const importTemplates = (deps: ImportSetupDeps, tenantId: TenantId): Promise<ImportCounts> =>
  importPages(
    async (from) => {
      const { templates: items, nextCursor } = await deps.source.templates.list({ tenantId, ...from })
      return { items, nextCursor }
    },
    (newest) => importVersions(deps, newest),
  )

/**
 * Adds only the versions that follow what the target already has; a diverged history is left alone. Versions are read one
 * by one, because their texts may be long.
 */
async function importVersions({ source, target }: ImportSetupDeps, newest: TemplateSummary): Promise<ImportOutcome> {
  const [{ version: there = 0 } = {}] = await target.templates.versions({ ...newest, limit: 1 })
  for (let version = 1; version <= newest.version; version += 1) {
    const template = await source.templates.version(newest, version)
    const known = version <= there ? await target.templates.version(newest, version) : undefined
    if (template === undefined || (version <= there && !isSame(known, template))) return 'left'
    const { version: _, ...added } = template
    if (version > there) await target.templates.add(added)
  }
  return newest.version > there ? 'added' : 'there'
}

const isSame = (one: Template | undefined, other: Template): boolean =>
  one !== undefined &&
  one.createdAt === other.createdAt &&
  one.channel === other.channel &&
  one.texts.text === other.texts.text &&
  one.texts.subject === other.texts.subject &&
  one.texts.html === other.texts.html

const importRoutes = ({ source, target }: ImportSetupDeps, tenantId: TenantId): Promise<ImportCounts> =>
  importPages(
    async () => ({ items: ownOf(source.routes, tenantId), nextCursor: undefined }),
    (route) => importRoute(target.routes, route),
  )

/** The target may not have its providers configured yet. */
async function importRoute(routes: RouteBook, route: NewRoute): Promise<ImportOutcome> {
  if ((await routes.add(route)) !== undefined) return 'added'
  const there = ownOf(routes, route.tenantId).find(({ id }) => id === route.id)
  return there !== undefined && toText(there) === toText(route) ? 'there' : 'left'
}

const ownOf = (routes: RouteBook, tenantId: TenantId): readonly NewRoute[] =>
  (routes.of(tenantId) ?? []).flatMap(({ own, ...route }) => (own === undefined ? [] : [{ ...route, tenantId, own }]))

const toText = ({ own: _, ...route }: NewRoute): string => JSON.stringify(toFields(route satisfies Route))

const importEndpoints = (deps: ImportSetupDeps): Promise<ImportCounts> =>
  importPages(
    async () => ({ items: await deps.source.endpoints.list(), nextCursor: undefined }),
    (endpoint) => importEndpoint(deps, endpoint),
  )

async function importEndpoint(
  { target: { endpoints }, isSameKey }: ImportSetupDeps,
  endpoint: Endpoint,
): Promise<ImportOutcome> {
  // Its secret is derived from the master key: under another key its signatures would look forged.
  if (!isSameKey) return 'left'
  const { failingSince: _, ...rest } = endpoint
  return (await endpoints.add(rest)) === undefined ? 'there' : 'added'
}
