/** A template in one locale. Every change makes a new version; the newest is sent. */

import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { Channel } from '../message/message.ts'

export type TemplateKey = Readonly<{ tenantId: TenantId; name: string; locale: string }>

/** SMS templates have only `text`. */
export type TemplateTexts = Readonly<{ text: string; subject?: string; html?: string }>

export type Template = TemplateKey &
  Readonly<{ channel: Channel; texts: TemplateTexts; version: number; createdAt: Instant }>

/** The locales to try, best first: `pt-BR`, `pt`, then the default. */
export function toLocales(wanted: string | undefined, fallback: string): readonly string[] {
  const parts = (wanted ?? fallback).split('-')
  const own = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
  return [...new Set([...own, fallback])]
}
