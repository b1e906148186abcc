/** The locale of texts for recipients without one: that of the tenant, or else of the installation. */
import { toLocales } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Tenants } from '../../ports/tenants.ts'

export type LocaleDeps = Readonly<{
  tenants: Pick<Tenants, 'of'>
  /** Of tenants without one. */
  defaultLocale: string
}>

export const defaultLocaleOf = ({ tenants, defaultLocale }: LocaleDeps, tenantId: TenantId): string =>
  tenants.of(tenantId)?.defaultLocale ?? defaultLocale

/** The locales of templates to try, best first. The last is that of the installation. */
export function localesFor(deps: LocaleDeps, tenantId: TenantId, wanted: string | undefined): readonly string[] {
  const locales = toLocales(wanted, defaultLocaleOf(deps, tenantId))
  return locales.includes(deps.defaultLocale) ? locales : [...locales, deps.defaultLocale]
}
