/** Saves the next version of a template, or the first, as long as its tenant has room for it. */
import { MOST_LOCALES, MOST_VERSIONS, type Template } from '../../domain/directory/template.ts'
import type { Templates } from '../../ports/templates.ts'
import { quotaExceeded, type SetupQuotaDeps, setupQuotaExceeded } from '../access/quotas.ts'
import type { Refusal } from '../errors.ts'

export type SaveTemplateDeps = SetupQuotaDeps & Readonly<{ templates: Pick<Templates, 'add' | 'find' | 'list'> }>

export async function saveTemplate(deps: SaveTemplateDeps, template: Omit<Template, 'version'>): Promise<Template> {
  const names = deps.quotasOf(template.tenantId).templates
  const saved = await deps.templates.add(template, { names, locales: MOST_LOCALES, versions: MOST_VERSIONS })
  if (saved === undefined) throw await noRoom(deps, template)
  return saved
}

/** Which of the bounds is reached. */
async function noRoom(deps: SaveTemplateDeps, { tenantId, name, locale }: Omit<Template, 'version'>): Promise<Refusal> {
  const { templates } = deps
  const newest = await templates.find(tenantId, name, [locale])
  if (newest !== undefined) return quotaExceeded('versions of a template in one locale', MOST_VERSIONS, newest.version)
  const inOthers = await templates.list({ tenantId, name, limit: 1 })
  if (inOthers.templates.length > 0) return quotaExceeded('locales of a template', MOST_LOCALES, MOST_LOCALES)
  return setupQuotaExceeded(deps, tenantId, 'templates')
}
