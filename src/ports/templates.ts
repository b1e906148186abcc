/** The templates of each tenant, with all their versions. */

import type { Template, TemplateKey } from '../domain/directory/template.ts'
import type { TenantId } from '../domain/ids.ts'

export type TemplatePage = Readonly<{ templates: readonly Template[]; nextCursor?: string }>

export type TemplateQuery = Readonly<{ tenantId: TenantId; name?: string; limit: number; cursor?: string }>

export interface Templates {
  /** Adds the next version of a template, or the first. */
  add(template: Omit<Template, 'version'>): Promise<Template>

  /** The newest version in the first of these locales that exists. */
  find(tenantId: TenantId, name: string, locales: readonly string[]): Promise<Template | undefined>

  /** All versions in one locale, newest first. */
  versions(key: TemplateKey): Promise<readonly Template[]>

  /** The newest version of each name and locale, ordered by both; of one name, if given. */
  list(query: TemplateQuery): Promise<TemplatePage>

  /** Removes a template, or one of its locales, with all versions. True if it existed. */
  remove(tenantId: TenantId, name: string, locale?: string): Promise<boolean>
}
