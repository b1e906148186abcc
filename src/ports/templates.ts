/** The templates of each tenant, with all their versions. */

import type { Template, TemplateBounds, TemplateKey, TemplateSummary } from '../domain/directory/template.ts'
import type { TenantId } from '../domain/ids.ts'

/** Texts may be long, so lists have none. */
export type TemplatePage = Readonly<{ templates: readonly TemplateSummary[]; nextCursor?: string }>

export type TemplateQuery = Readonly<{ tenantId: TenantId; name?: string; limit: number; cursor?: string }>

/** Versions before `before`, or the newest. */
export type VersionQuery = TemplateKey & Readonly<{ limit: number; before?: number }>

export interface Templates {
  /** Adds the next version of a template, or the first. Undefined when there is no room for it within the bounds. */
  add(template: Omit<Template, 'version'>, bounds?: TemplateBounds): Promise<Template | undefined>

  /** The newest version in the first of these locales that exists. */
  find(tenantId: TenantId, name: string, locales: readonly string[]): Promise<Template | undefined>

  /** One version in one locale. */
  version(key: TemplateKey, version: number): Promise<Template | undefined>

  /** The versions in one locale, newest first. */
  versions(query: VersionQuery): Promise<readonly TemplateSummary[]>

  /** The newest version of each name and locale, ordered by both; of one name, if given. */
  list(query: TemplateQuery): Promise<TemplatePage>

  /** Removes a template, or one of its locales, with all versions. True if it existed. */
  remove(tenantId: TenantId, name: string, locale?: string): Promise<boolean>
}
