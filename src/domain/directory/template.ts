/** A template in one locale. Every change makes a new version; the newest is sent. */

import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { Channel } from '../message/message.ts'

export type TemplateKey = Readonly<{ tenantId: TenantId; name: string; locale: string }>

/** SMS templates have only `text`. */
export type TemplateTexts = Readonly<{ text: string; subject?: string; html?: string }>

export type Template = TemplateKey &
  Readonly<{ channel: Channel; texts: TemplateTexts; version: number; createdAt: Instant }>

/** A template in a list, without its texts: how many bytes they take, and how `text` begins. */
export type TemplateSummary = Omit<Template, 'texts'> & Readonly<{ size: number; excerpt: string }>

/** In characters. */
const EXCERPT = 100

export const toExcerpt = (text: string): string => [...text.slice(0, 2 * EXCERPT)].slice(0, EXCERPT).join('')

/** How many names a tenant may have, how many locales a name, and how many versions a name in one locale. */
export type TemplateBounds = Readonly<{ names: number; locales: number; versions: number }>

/** Of one name. */
export const MOST_LOCALES = 200
/** Of one name in one locale. */
export const MOST_VERSIONS = 1_000

/** The locales to try, best first: `pt-BR`, `pt`, then the default. */
export function toLocales(wanted: string | undefined, fallback: string): readonly string[] {
  const parts = (wanted ?? fallback).split('-')
  const own = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
  return [...new Set([...own, fallback])]
}
